// SPDX-License-Identifier: MIT
#include "spec_settings.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static enum status_code check_signal_tokens(const struct settings *settings, struct status *status)
{
    double tokens = settings->task.signal_tokens;
    if (tokens < 1)
        return STATUS_OK;
    if (tokens != floor(tokens))
        return status_set(
            status, STATUS_INVALID,
            "signal_tokens is %g, neither a count nor a share; write an integer from 1, or a share below 1", tokens);
    if (tokens > (double)settings->task.train_length)
        return status_set(status, STATUS_INVALID,
                          "signal_tokens is %.0f, but sequences have train_length = %" PRId64
                          " tokens; lower the one or raise the other",
                          tokens, settings->task.train_length);
    return STATUS_OK;
}

static enum status_code check_head_dim(const struct settings *settings, struct status *status)
{
    if (settings->model.encoding != ENCODING_ROPE || settings->model.head_dim % 2 == 0)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "head_dim is %" PRId64 ", but encoding rope turns pairs of coordinates; make it even",
                      settings->model.head_dim);
}

static enum status_code check_curve_samples(const struct settings *settings, struct status *status)
{
    if (settings->evaluate.curve_samples <= settings->evaluate.test_samples)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "curve_samples is %" PRId64 ", but the curve uses the first of test_samples = %" PRId64
                      " sequences; lower the one or raise the other",
                      settings->evaluate.curve_samples, settings->evaluate.test_samples);
}

enum status_code settings_check(const struct settings *settings, const struct setting **ret_setting,
                                struct status *status)
{
    static const struct {
        const char *blamed;
        enum status_code (*check)(const struct settings *settings, struct status *status);
    } checks[] = {
        {"signal_tokens", check_signal_tokens},
        {"head_dim", check_head_dim},
        {"curve_samples", check_curve_samples},
    };
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        enum status_code code = checks[i].check(settings, status);
        if (code != STATUS_OK) {
            *ret_setting = setting_find(checks[i].blamed, strlen(checks[i].blamed));
            return code;
        }
    }
    return STATUS_OK;
}
