// SPDX-License-Identifier: MIT
#include "store_rows.h"
#include <stdlib.h>

static enum status_code no_memory(struct status *status)
{
    return status_set(status, STATUS_MEMORY, "no memory for the rows of the store");
}

static int compare_slots(const void *a, const void *b)
{
    const struct row_slot *left = a, *right = b;
    int order = hash_compare(&left->identity, &right->identity);
    return order ? order : (left->row > right->row) - (left->row < right->row);
}

static void sort_slots(struct row_slot *slots, size_t count)
{
    if (count)
        qsort(slots, count, sizeof *slots, compare_slots);
}

enum status_code store_rows_sort(const struct store_row *rows, size_t count, struct arena *arena,
                                 struct row_lookup *ret_lookup, struct status *status)
{
    struct row_slot *slots = arena_get(arena, count ? count : 1, sizeof *slots);
    if (!slots)
        return no_memory(status);
    for (size_t i = 0; i < count; i++)
        slots[i] = (struct row_slot){rows[i].identity, i};
    sort_slots(slots, count);
    *ret_lookup = (struct row_lookup){count, slots};
    return STATUS_OK;
}

// The first slot of the identity, or the place where it would be.
static size_t lower_bound(const struct row_lookup *lookup, struct hash128 identity)
{
    size_t low = 0, high = lookup->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (hash_compare(&lookup->slots[middle].identity, &identity) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

ptrdiff_t store_rows_find(const struct row_lookup *lookup, struct hash128 identity)
{
    size_t at = lower_bound(lookup, identity);
    if (at == lookup->count || !hash_equal(lookup->slots[at].identity, identity))
        return -1;
    return (ptrdiff_t)lookup->slots[at].row;
}

static struct hash128 group_identity(const struct store_row *row)
{
    struct settings settings = row->settings;
    settings.replicate = 0;
    return settings_identity(&settings);
}

static struct hash128 twin_identity(const struct store_row *row)
{
    struct settings settings = row->settings;
    settings.task.noise_rate = 0;
    return settings_identity(&settings);
}

// Numbers by first appearance: within each run of equal identities the lowest row leads.
static void number_groups(const struct row_lookup *lookup, size_t *leader, size_t *ret_group)
{
    size_t first = 0, groups = 0;
    for (size_t i = 0; i < lookup->count; i++) {
        if (!hash_equal(lookup->slots[i].identity, lookup->slots[first].identity))
            first = i;
        leader[lookup->slots[i].row] = lookup->slots[first].row;
    }
    for (size_t row = 0; row < lookup->count; row++)
        ret_group[row] = leader[row] == row ? groups++ : ret_group[leader[row]];
}

enum status_code store_rows_relate(const struct store_row *rows, size_t count, const struct row_lookup *lookup,
                                   struct arena *arena, size_t **ret_group, ptrdiff_t **ret_twin, struct status *status)
{
    size_t room = count ? count : 1;
    struct row_lookup groups = {count, arena_get(arena, room, sizeof *groups.slots)};
    size_t *group = arena_get(arena, room, sizeof *group), *leader = arena_get(arena, room, sizeof *leader);
    ptrdiff_t *twin = arena_get(arena, room, sizeof *twin);
    if (!groups.slots || !group || !leader || !twin)
        return no_memory(status);
    for (size_t i = 0; i < count; i++) {
        groups.slots[i] = (struct row_slot){group_identity(&rows[i]), i};
        bool noiseless = rows[i].settings.task.noise_rate == 0;
        twin[i] = noiseless ? (ptrdiff_t)i : store_rows_find(lookup, twin_identity(&rows[i]));
    }
    sort_slots(groups.slots, count);
    number_groups(&groups, leader, group);
    *ret_group = group;
    *ret_twin = twin;
    return STATUS_OK;
}
