// SPDX-License-Identifier: MIT
// Messages between coordinator and workers as bytes.
#include "dispatch_state.h"
#include <math.h>

void message_encode(const struct dispatch_message *message, struct bytes *bytes)
{
    bytes_clear(bytes);
    bytes_u8(bytes, (uint8_t)message->kind);
    switch (message->kind) {
    case DISPATCH_HELLO:
        bytes_blob(bytes, message->text, message->text_length);
        bytes_f64(bytes, message->memory);
        break;
    case DISPATCH_PROGRESS:
        bytes_u64(bytes, message->job);
        bytes_u64(bytes, (uint64_t)message->step);
        bytes_u64(bytes, (uint64_t)message->steps);
        bytes_f64(bytes, message->seconds);
        break;
    case DISPATCH_RESULT:
        bytes_u64(bytes, message->job);
        bytes_u8(bytes, (uint8_t)message->outcome);
        bytes_f64(bytes, message->seconds);
        bytes_blob(bytes, message->blob, message->blob_size);
        break;
    case DISPATCH_RESIGN:
        bytes_blob(bytes, message->text, message->text_length);
        break;
    case DISPATCH_JOB:
        bytes_u64(bytes, message->job);
        bytes_blob(bytes, message->blob, message->blob_size);
        break;
    case DISPATCH_DRAIN:
    case DISPATCH_GOODBYE:
    case DISPATCH_AWAY:
        break;
    }
}

static bool is_duration(double seconds)
{
    return seconds >= 0 && isfinite(seconds);
}

static bool read_fields(struct bytes_reader *reader, struct dispatch_message *message)
{
    switch (message->kind) {
    case DISPATCH_HELLO:
        message->text = (const char *)bytes_read_blob(reader, &message->text_length);
        message->memory = bytes_read_f64(reader);
        return message->memory >= 0;
    case DISPATCH_PROGRESS:
        message->job = bytes_read_u64(reader);
        message->step = (int64_t)bytes_read_u64(reader);
        message->steps = (int64_t)bytes_read_u64(reader);
        message->seconds = bytes_read_f64(reader);
        return message->step >= 0 && message->steps >= 0 && is_duration(message->seconds);
    case DISPATCH_RESULT:
        message->job = bytes_read_u64(reader);
        message->outcome = (enum record_run)bytes_read_u8(reader);
        message->seconds = bytes_read_f64(reader);
        message->blob = bytes_read_blob(reader, &message->blob_size);
        return message->outcome >= RUN_DONE && message->outcome <= RUN_REFUSED && is_duration(message->seconds);
    case DISPATCH_RESIGN:
        message->text = (const char *)bytes_read_blob(reader, &message->text_length);
        return true;
    case DISPATCH_JOB:
        message->job = bytes_read_u64(reader);
        message->blob = bytes_read_blob(reader, &message->blob_size);
        return true;
    case DISPATCH_DRAIN:
    case DISPATCH_GOODBYE:
    case DISPATCH_AWAY:
        return true;
    }
    return false;
}

enum status_code message_decode(const void *data, size_t size, struct dispatch_message *ret_message,
                                struct status *status)
{
    struct bytes_reader reader = bytes_reader(data, size);
    struct dispatch_message message = {.kind = (enum dispatch_kind)bytes_read_u8(&reader)};
    bool sound = read_fields(&reader, &message);
    if (!sound || reader.failed || bytes_left(&reader) != 0)
        return status_set(status, STATUS_INTERNAL, "malformed message of kind %d and %zu bytes", (int)message.kind,
                          size);
    *ret_message = message;
    return STATUS_OK;
}
