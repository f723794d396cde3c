// SPDX-License-Identifier: MIT
#include "dispatch.h"
#include <stdlib.h>

static int compare(const void *a, const void *b, void *costs)
{
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    double x = ((const double *)costs)[i], y = ((const double *)costs)[j];
    bool x_number = x == x, y_number = y == y;
    if (x_number != y_number)
        return x_number ? -1 : 1;
    if (x_number && x != y)
        return x > y ? -1 : 1;
    return i < j ? -1 : i > j;
}

void dispatch_order(const double *cost, size_t count, size_t *ret_order)
{
    for (size_t i = 0; i < count; i++)
        ret_order[i] = i;
    if (count > 1)
        qsort_r(ret_order, count, sizeof *ret_order, compare, (void *)(uintptr_t)cost);
}
