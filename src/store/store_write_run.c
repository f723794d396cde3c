// SPDX-License-Identifier: MIT
#include "base_clock.h"
#include "store_names.h"
#include "store_path.h"
#include "store_write.h"

enum status_code store_write_run(struct writing *writing)
{
    const struct h5 *h5 = &writing->h5;
    const struct plan *plan = writing->plan;
    char published[STORE_TIME_SIZE];
    store_path_time(clock_wall(), true, published);
    const uint64_t planned = grid_trials(plan->grid);
    const uint64_t id = plan->sources.journal ? store_journal_id(plan->sources.journal) : 0;
    const uint64_t end = plan->sources.journal ? store_journal_end(plan->sources.journal) : 0;
    const char *const texts[][2] = {
        {ATTRIBUTE_NAME, plan->sweep->name}, {ATTRIBUTE_SWEEP, plan->sweep->text}, {ATTRIBUTE_PUBLISHED, published}};
    enum status_code code = STATUS_OK;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0] && code == STATUS_OK; i++)
        code = store_h5_put_text(h5, writing->run, texts[i][0], texts[i][1] ? texts[i][1] : "");
    if (code == STATUS_OK)
        code = store_h5_put_numbers(h5, writing->run, ATTRIBUTE_PLANNED, H5_U64, 0, &planned);
    if (code == STATUS_OK)
        code = store_h5_put_numbers(h5, writing->run, ATTRIBUTE_JOURNAL_ID, H5_U64, 0, &id);
    if (code == STATUS_OK)
        code = store_h5_put_numbers(h5, writing->run, ATTRIBUTE_JOURNAL_END, H5_U64, 0, &end);
    for (size_t i = 0; i < writing->options->notes_count && code == STATUS_OK; i++)
        code = store_h5_put_text(h5, writing->run, writing->options->notes[i].name, writing->options->notes[i].text);
    return code;
}
