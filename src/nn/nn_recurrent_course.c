// SPDX-License-Identifier: MIT
// Which samples go through time together, and where their rows are.
#include "nn_recurrent.h"

// Groups are as even as can be, since a time step of few samples is no faster than one of many: as many as groups of
// the largest size would be, and each of them ends once it has its share of rows.
long recurrent_group_rows(const struct batch *batch)
{
    const long rows = (long)batch_row(batch, batch->samples);
    long groups = 0;
    for (long first = 0; first < batch->samples; groups++)
        first += nn_samples_within(batch, first, nn_group_samples(1));
    return (rows + groups - 1) / groups;
}

long recurrent_group_samples(const struct batch *batch, long first, long rows)
{
    const int64_t begin = batch_row(batch, first);
    const long most = nn_samples_within(batch, first, nn_group_samples(1));
    long samples = 1;
    while (samples < most && batch_row(batch, first + samples) - begin < rows)
        samples++;
    return samples;
}

// From `order` to `rank` by one digit of the lengths, the largest first and equal ones as they come; then the two
// change their parts.
static void sort_by_digit(struct recurrent_course *course, int shift)
{
    enum { DIGITS = 256 };
    long place[DIGITS + 1] = {0}, *const order = course->order;
    for (long r = 0; r < course->samples; r++)
        place[DIGITS - 1 - (recurrent_length(course, order[r]) >> shift) % DIGITS + 1]++;
    for (int digit = 0; digit < DIGITS; digit++)
        place[digit + 1] += place[digit];
    for (long r = 0; r < course->samples; r++)
        course->rank[place[DIGITS - 1 - (recurrent_length(course, order[r]) >> shift) % DIGITS]++] = order[r];
    course->order = course->rank;
    course->rank = order;
}

void recurrent_plan(struct recurrent_course *course, const struct batch *batch, long first, long samples)
{
    course->batch = batch;
    course->first = first;
    course->samples = samples;
    course->longest = course->begin = course->steps = 0;
    for (long s = 0; s < samples; s++) {
        course->order[s] = s;
        course->longest = nn_most(course->longest, recurrent_length(course, s));
    }
    for (int shift = 0; batch->offsets && course->longest >> shift > 0; shift += 8)
        sort_by_digit(course, shift);
    for (long r = 0; r < samples; r++)
        course->rank[course->order[r]] = r;
}

void recurrent_take_steps(struct recurrent_course *course, long begin, long steps, long rows)
{
    const long most = nn_least(steps, course->longest - begin);
    long running = course->samples, *const start = course->start;
    course->begin = begin;
    start[0] = 0;
    for (course->steps = 0; course->steps < most; course->steps++) {
        while (recurrent_length(course, course->order[running - 1]) <= begin + course->steps)
            running--;
        if (course->steps > 0 && start[course->steps] + running > rows)
            break;
        start[course->steps + 1] = start[course->steps] + running;
    }
}
