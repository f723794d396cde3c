// SPDX-License-Identifier: MIT
// Every row of ops_*.c. With the arguments `time [PART]` it prints instead what they take, or those with PART in their
// names: per number of the output, forward and backward, and where multiplications are the work, how many a second.
#include "base_isa.h"
#include "base_random.h"
#include "ops.h"
#include "support.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct op_table *const tables[] = {OP_TABLES};
enum { TABLES = sizeof tables / sizeof *tables, SLACK = 16, TRIED = 50 };

#ifdef NN_DOUBLE
static const double tolerance = 1e-13;
#else
static const double tolerance = 2e-6;
#endif

real *op_take(struct op *op, long count)
{
    assert_true(op->taken < OP_TAKEN);
    const size_t size = ((size_t)count * sizeof(real) / 64 + 1) * 64;
    real *memory = aligned_alloc(64, size);
    assert_non_null(memory);
    memset(memory, 0, size);
    return op->memory[op->taken++] = memory;
}

static void draw(struct op *op, uint64_t purpose, long rows, long columns, long stride, real *ret)
{
    float *line = malloc((size_t)(columns + 1) * sizeof *line);
    assert_non_null(line);
    for (long r = 0; r < rows; r++) {
        random_normals(random_key(1, purpose, op->row->name), (uint64_t)r, 0, (size_t)columns, line);
        for (long c = 0; c < columns; c++)
            ret[r * stride + c] = (real)line[c];
    }
    free(line);
}

void op_add(struct op *op, long rows, long columns, long stride, bool varied)
{
    assert_true(op->matrices < OP_MATRICES);
    const long count = (rows + SLACK) * stride;
    const uint64_t purpose = (uint64_t)op->matrices;
    struct op_matrix m = {.rows = rows, .columns = columns, .stride = stride, .varied = varied};
    m.value = op_take(op, count);
    m.gradient = op_take(op, count);
    draw(op, purpose, rows, columns, stride, m.value);
    if (op->matrices == 0)
        draw(op, 100, rows, columns, stride, m.gradient);
    op->m[op->matrices++] = m;
}

void op_soil(const struct op_matrix *m)
{
    for (long r = 0; r < m->rows; r++)
        for (long c = 0; c < op_padded(m->columns); c++)
            m->gradient[r * m->stride + c] = 9;
}

void op_open(struct op *op, const struct op_row *row, struct op_shape shape)
{
    *op = (struct op){.row = row, .shape = shape};
    row->kind->layout(op);
}

void op_close(struct op *op)
{
    for (int i = 0; i < op->taken; i++)
        free(op->memory[i]);
}

typedef void case_check(const struct op_row *row, struct op_shape shape);

static void each_case(case_check *check)
{
    for (int t = 0; t < TABLES; t++)
        for (int i = 0; i < tables[t]->count; i++)
            for (int s = 0; s < OP_SHAPES && tables[t]->row[i].shape[s].a > 0; s++)
                check(&tables[t]->row[i], tables[t]->row[i].shape[s]);
}

static void blame(const struct op *op, const char *what, double got, double want)
{
    fail_msg("%s of %ld, %ld, %ld: %s: %.17g in place of %.17g", op->row->name, op->shape.a, op->shape.b, op->shape.c,
             what, got, want);
}

// Nothing is written outside rows x columns.
static void check_padding(const struct op *op, const struct op_matrix *m, const real *value)
{
    for (long r = 0; r < m->rows + SLACK; r++)
        for (long c = r < m->rows ? m->columns : 0; c < m->stride; c++)
            if (value[r * m->stride + c] != 0)
                blame(op, "padding", (double)value[r * m->stride + c], 0);
}

static void check_values(const struct op_row *row, struct op_shape shape)
{
    struct op op;
    op_open(&op, row, shape);
    row->kind->forward(nn_kernels(isa_current()), &op);
    const struct op_matrix *y = &op.m[0];
    double most = 1;
    for (long r = 0; r < y->rows; r++)
        for (long c = 0; c < y->columns; c++)
            most = fmax(most, fabs(row->kind->reference(&op, r, c)));
    for (long r = 0; r < y->rows; r++)
        for (long c = 0; c < y->columns; c++) {
            const double got = op_at(&op, 0, r, c), want = row->kind->reference(&op, r, c);
            if (!(fabs(got - want) <= tolerance * most))
                blame(&op, "value", got, want);
        }
    check_padding(&op, y, y->value);
    op_close(&op);
}

static void values_are_those_of_straight_loops(void **state)
{
    (void)state;
    each_case(check_values);
}

static bool output_has_nan(const struct op *op)
{
    for (long r = 0; r < op->m[0].rows; r++)
        for (long c = 0; c < op->m[0].columns; c++)
            if (isnan(op_at(op, 0, r, c)))
                return true;
    return false;
}

static void check_nan(const struct op_row *row, struct op_shape shape)
{
    for (enum isa isa = 0; isa < ISA_COUNT; isa++)
        for (int i = 1; i < OP_MATRICES && isa_supported(isa); i++) {
            struct op op;
            op_open(&op, row, shape);
            if (op.m[i].varied && op.m[i].columns > 0) {
                op.m[i].value[op.m[i].probe] = (real)NAN;
                row->kind->forward(nn_kernels(isa), &op);
                if (!output_has_nan(&op))
                    blame(&op, isa_name(isa), 0, NAN);
            }
            op_close(&op);
        }
}

static void nan_reaches_the_output(void **state)
{
    (void)state;
    each_case(check_nan);
}

static void run(struct op *op, const struct nn_kernels *kernels)
{
    op->row->kind->forward(kernels, op);
    if (op->row->kind->backward)
        op->row->kind->backward(kernels, op);
}

static void run_all(struct op *op, const struct op_row *row, struct op_shape shape, enum isa isa)
{
    op_open(op, row, shape);
    run(op, nn_kernels(isa));
}

static void check_bits(const struct op_row *row, struct op_shape shape)
{
    struct op plain, other;
    run_all(&plain, row, shape, ISA_PLAIN);
    for (enum isa isa = ISA_PLAIN + 1; isa < ISA_COUNT; isa++) {
        if (!isa_supported(isa))
            continue;
        run_all(&other, row, shape, isa);
        for (int i = 0; i < plain.matrices; i++) {
            const size_t size = (size_t)((plain.m[i].rows + SLACK) * plain.m[i].stride) * sizeof(real);
            if (memcmp(plain.m[i].value, other.m[i].value, size) ||
                memcmp(plain.m[i].gradient, other.m[i].gradient, size))
                fail_msg("%s of %ld, %ld, %ld: %s has other bits in matrix %d", row->name, shape.a, shape.b, shape.c,
                         isa_name(isa), i);
        }
        op_close(&other);
    }
    op_close(&plain);
}

static void bits_are_the_same_everywhere(void **state)
{
    (void)state;
    each_case(check_bits);
}

static double outcome(struct op *op)
{
    const struct op_matrix *y = &op->m[0];
    double sum = 0;
    op->row->kind->forward(nn_kernels(ISA_PLAIN), op);
    for (long r = 0; r < y->rows; r++)
        for (long c = 0; c < y->columns; c++)
            sum += (double)y->value[r * y->stride + c] * (double)y->gradient[r * y->stride + c];
    return sum;
}

static double slope_of(struct op *op, real *x)
{
    const real kept = *x, step = (real)1e-5;
    *x = kept + step;
    const double up = outcome(op);
    *x = kept - step;
    const double down = outcome(op);
    *x = kept;
    return (up - down) / (2 * (double)step);
}

static void check_gradient_of(struct op *op, const struct op_matrix *m)
{
    const long count = m->rows * m->columns, step = count / TRIED + 1;
    for (long i = 0; i < count; i += step) {
        const long at = i / m->columns * m->stride + i % m->columns;
        const double want = slope_of(op, m->value + at), got = (double)m->gradient[at];
        if (!(fabs(got - want) <= 2e-8 * fmax(1, fabs(want))))
            blame(op, "gradient", got, want);
    }
    check_padding(op, m, m->gradient);
}

static void check_gradient(const struct op_row *row, struct op_shape shape)
{
    struct op op;
    if (!row->kind->backward)
        return;
    run_all(&op, row, shape, ISA_PLAIN);
    for (int i = 1; i < op.matrices; i++)
        if (op.m[i].varied)
            check_gradient_of(&op, &op.m[i]);
    op_close(&op);
}

static void gradients_are_finite_differences(void **state)
{
    (void)state;
    each_case(check_gradient);
}

static jmp_buf outside;

static void lead_outside(void)
{
    longjmp(outside, 1);
}

// Function `number` of the table leads out of the row, before it would look at its arguments.
static bool row_calls(const struct op_row *row, size_t number)
{
    struct nn_kernels kernels = *nn_kernels(ISA_PLAIN);
    void (*const way_out)(void) = lead_outside;
    struct op op;
    memcpy((char *)&kernels + number * sizeof way_out, &way_out, sizeof way_out);
    op_open(&op, row, row->shape[0]);
    if (setjmp(outside)) {
        op_close(&op);
        return true;
    }
    run(&op, &kernels);
    op_close(&op);
    return false;
}

static void every_kernel_has_a_row(void **state)
{
    (void)state;
    for (size_t number = 0; number < sizeof(struct nn_kernels) / sizeof(void (*)(void)); number++) {
        bool called = false;
        for (int t = 0; t < TABLES; t++)
            for (int i = 0; i < tables[t]->count && !called; i++)
                called = row_calls(&tables[t]->row[i], number);
        if (!called)
            fail_msg("no row calls function %zu of struct nn_kernels", number);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_has_a_row),
        cmocka_unit_test(values_are_those_of_straight_loops),
        cmocka_unit_test(nan_reaches_the_output),
        sizeof(real) == sizeof(double) ? (struct CMUnitTest)cmocka_unit_test(gradients_are_finite_differences)
                                       : (struct CMUnitTest)cmocka_unit_test(bits_are_the_same_everywhere),
    };
    if (argc < 2 || strcmp(argv[1], "time") != 0)
        return cmocka_run_group_tests(tests, NULL, NULL);
    op_print_times(argc > 2 ? argv[2] : "");
    return 0;
}
