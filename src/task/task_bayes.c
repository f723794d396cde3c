// SPDX-License-Identifier: MIT
#include "base_math.h"
#include "base_random.h"
#include "task_kind.h"
#include <math.h>
#include <stdlib.h>

// Operations of a kernel that take as long, measured: normals for a chunk of tokens; a token in a known place, in a
// random one, in one of several random places, and that for each of these.
enum { CHUNK_FLOPS = 15000, KNOWN_FLOPS = 400, RANDOM_FLOPS = 3000, SEVERAL_FLOPS = 50000, PLACE_FLOPS = 250 };

enum { MOST_DRAWS = 100000, LEAST_DRAWS = 400, BUDGET = 1 << 23, CHUNK = 64 };

static double logistic(double x)
{
    double e = math_exp(-fabs(x));
    return x < 0 ? e / (1 + e) : 1 / (1 + e);
}

static double softplus(double x)
{
    return (x > 0 ? x : 0) + math_log1p(math_exp(-fabs(x)));
}

static double log_sum_exp(const double *x, long n)
{
    double most = x[0], sum = 0;
    for (long t = 1; t < n; t++)
        most = x[t] > most ? x[t] : most;
    for (long t = 0; t < n; t++)
        sum += math_exp(x[t] - most);
    return most + math_log(sum);
}

// λ's logarithm such that Σ logistic(x_t + log λ) is k to within a half.
static double find_tilt(const double *x, long n, long k)
{
    double least = x[0], most = x[0], margin = math_log((double)n) + 1;
    for (long t = 1; t < n; t++) {
        least = x[t] < least ? x[t] : least;
        most = x[t] > most ? x[t] : most;
    }
    double low = -most - margin, high = -least + margin;
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (low + high), sum = 0;
        for (long t = 0; t < n; t++)
            sum += logistic(x[t] + middle);
        if (fabs(sum - (double)k) < 0.5)
            return middle;
        if (sum < (double)k)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

// Logarithm of the k-th elementary symmetric polynomial of exp(x_t), 1 <= k <= n: that of the sum of ∏ exp(x_t) over
// all sets of k tokens. With w_t = λ exp(x_t) it is log P(k) - k log λ + Σ log(1 + w_t), P(k) the probability that k of
// n independent events of probabilities w_t / (1 + w_t) occur; any λ is exact, and one with mean k does not underflow.
static double log_symmetric(const double *x, long n, long k, double *probability)
{
    if (k == 1)
        return log_sum_exp(x, n);
    if (k == n) {
        double sum = 0;
        for (long t = 0; t < n; t++)
            sum += x[t];
        return sum;
    }
    double tilt = find_tilt(x, n, k), total = -(double)k * tilt;
    probability[0] = 1;
    for (long j = 1; j <= k; j++)
        probability[j] = 0;
    for (long t = 0; t < n; t++) {
        double yes = logistic(x[t] + tilt), no = logistic(-x[t] - tilt);
        for (long j = k; j > 0; j--)
            probability[j] = probability[j] * no + probability[j - 1] * yes;
        probability[0] *= no;
        total += softplus(x[t] + tilt);
    }
    return total + math_log(probability[k]);
}

// What a draw needs; the label is +1 and, since tokens may be renumbered, the signal is in the first k.
struct draw {
    struct random_key key;
    double norm;
    bool antipodal, random_position;
    long tokens, count; // tokens that tell something
    double *plus, *minus, *probability;
};

// ret plus[t], minus[t]: log density ratio of token t as a signal token of either label to it as noise, but for the
// constant that both share.
static void draw_tokens(const struct draw *draw, uint64_t sample)
{
    float normal[2 * CHUNK];
    for (long t = 0; t < draw->tokens; t++) {
        long at = t % CHUNK;
        if (at == 0)
            random_normals(draw->key, sample, (uint32_t)(t / CHUNK), 2 * CHUNK, normal);
        double along = (double)normal[2 * at] + (t < draw->count ? draw->norm : 0);
        double other = draw->antipodal ? -along : (double)normal[2 * at + 1];
        draw->plus[t] = draw->norm * along;
        draw->minus[t] = draw->norm * other;
    }
}

static double log_ratio(const struct draw *draw)
{
    if (draw->random_position)
        return log_symmetric(draw->plus, draw->tokens, draw->count, draw->probability) -
               log_symmetric(draw->minus, draw->tokens, draw->count, draw->probability);
    double sum = 0;
    for (long t = 0; t < draw->count; t++)
        sum += draw->plus[t] - draw->minus[t];
    return sum;
}

static long draw_count(const struct draw *draw)
{
    long work = draw->tokens * (draw->random_position && draw->count > 1 ? 8 + draw->count / 16 : 1);
    long count = BUDGET / work;
    return count < LEAST_DRAWS ? LEAST_DRAWS : count > MOST_DRAWS ? MOST_DRAWS : count;
}

// False where a signal token is exact: nothing is drawn then.
static bool describe_draw(const struct task_settings *task, long length, struct draw *ret_draw)
{
    if (!task->signal_noise || task->project_noise || isinf(task->snr))
        return false;
    struct draw draw = {.key = random_key(0, 0, "bayes"),
                        .norm = sqrt(task->snr),
                        .antipodal = task->signal_geometry == GEOMETRY_ANTIPODAL,
                        .random_position = task->signal_position == POSITION_RANDOM,
                        .count = signal_count(task, length)};
    draw.tokens = draw.random_position ? length : draw.count;
    *ret_draw = draw;
    return true;
}

double signal_bayes_flops(const struct settings *settings, long length)
{
    struct draw draw;
    if (!describe_draw(&settings->task, length, &draw))
        return 0;
    bool several = draw.random_position && draw.count > 1 && draw.count < draw.tokens;
    double token = several                ? SEVERAL_FLOPS + PLACE_FLOPS * (double)draw.count
                   : draw.random_position ? RANDOM_FLOPS
                                          : KNOWN_FLOPS;
    double chunks = (double)((draw.tokens + CHUNK - 1) / CHUNK);
    return (double)draw_count(&draw) * (chunks * CHUNK_FLOPS + (double)draw.tokens * token);
}

double signal_bayes_error(const struct settings *settings, long length)
{
    struct draw draw;
    if (!describe_draw(&settings->task, length, &draw))
        return 0;
    double *storage = malloc((size_t)(2 * draw.tokens + draw.count + 1) * sizeof *storage);
    if (!storage)
        return NAN;
    draw.plus = storage;
    draw.minus = storage + draw.tokens;
    draw.probability = storage + 2 * draw.tokens;
    long count = draw_count(&draw);
    double sum = 0;
    for (long i = 0; i < count; i++) {
        draw_tokens(&draw, (uint64_t)i);
        sum += 1 / (1 + math_exp(fabs(log_ratio(&draw))));
    }
    free(storage);
    return sum / (double)count;
}
