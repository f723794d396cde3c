// SPDX-License-Identifier: MIT
// One trial whole: settings, curves, summaries.
#include "base_text.h"
#include "show.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum status_code find(const struct show *show, const char *prefix, size_t *ret_row, struct status *status)
{
    size_t found = 0;
    char text[HASH_TEXT_SIZE];
    for (size_t row = 0; row < store_view_rows(show->view); row++) {
        hash_text(store_view_row(show->view, row)->identity, text);
        if (strncmp(text, prefix, strlen(prefix)) != 0)
            continue;
        *ret_row = row;
        found++;
    }
    if (found == 1)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      found
                          ? "show: %zu trials have an identity that begins with '%s'; give more digits"
                          : "show: %zu trials have an identity that begins with '%s'; `lgsweep show --list` lists them",
                      found, prefix);
}

static bool is_curve(const struct record_value *value)
{
    return value->dimensions == 1 && strcmp(value->dimension[0], "eval") == 0;
}

// A number as short as its type allows: a float's text reads back as that float.
static void number_text(const struct record_value *value, size_t element, char ret_text[TEXT_NUMBER_SIZE])
{
    double number = record_element(value, element);
    for (int digits = 6; value->type == RECORD_F32 && isfinite(number) && digits <= 9; digits++) {
        snprintf(ret_text, TEXT_NUMBER_SIZE, "%.*g", digits, number);
        if (strtof(ret_text, NULL) == (float)number) {
            number = strtod(ret_text, NULL);
            break;
        }
    }
    text_real(number, ret_text);
}

static int column_width(const struct record_value *value)
{
    int length = (int)strlen(value->name);
    return length > 12 ? length : 12;
}

static void print_curves(const struct record_part *part)
{
    size_t evaluations = 0;
    char text[TEXT_NUMBER_SIZE];
    printf("\n");
    for (size_t v = 0; v < part->count; v++)
        if (is_curve(&part->values[v])) {
            printf(" %*s", column_width(&part->values[v]), part->values[v].name);
            evaluations = part->values[v].extent[0];
        }
    for (size_t e = 0; e < evaluations; e++) {
        printf("\n");
        for (size_t v = 0; v < part->count; v++)
            if (is_curve(&part->values[v])) {
                number_text(&part->values[v], e, text);
                printf(" %*s", column_width(&part->values[v]), text);
            }
    }
    printf("\n");
}

static void print_scalars(const struct record_part *part)
{
    char text[TEXT_NUMBER_SIZE];
    for (size_t v = 0; v < part->count; v++) {
        const struct record_value *value = &part->values[v];
        if (is_curve(value))
            continue;
        printf("  %-28s", value->name);
        for (size_t i = 0; i < record_size(value); i++) {
            number_text(value, i, text);
            printf(" %s", text);
        }
        printf("\n");
    }
}

enum status_code show_trial(const struct show *show, const char *identity, struct status *status)
{
    size_t row = 0;
    struct record record = {0};
    struct bytes text = {0};
    enum status_code code = find(show, identity, &row, status);
    if (code == STATUS_OK)
        code = store_view_record(show->view, row, &record, status);
    if (code)
        return code;
    const struct store_row *about = store_view_row(show->view, row);
    char name[HASH_TEXT_SIZE];
    hash_text(about->identity, name);
    printf("trial %s: %s%s, numerics %u, program %s\n", name, record_status_names[about->status],
           about->twin ? " (noise-free twin)" : "", about->numerics, about->version ? about->version : "");
    cli_settings_text(&show->sweep.sweep, &about->settings, &text);
    printf("settings that differ from their defaults:\n%.*s", (int)text.size, text.data ? (const char *)text.data : "");
    if (about->status == RECORD_FAILED)
        printf("failed after %u attempt%s at step %lld: %s\n", about->attempts, about->attempts == 1 ? "" : "s",
               (long long)about->last_step, about->reason);
    for (size_t p = 0; p < record.parts_count; p++) {
        if (record.parts[p].kind == RECORD_TEST)
            printf("\nat test length %lld:\n", (long long)record.parts[p].test_length);
        else
            printf("\ntraining:\n");
        print_scalars(&record.parts[p]);
        print_curves(&record.parts[p]);
    }
    bytes_fini(&text);
    record_fini(&record);
    return STATUS_OK;
}
