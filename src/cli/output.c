// SPDX-License-Identifier: MIT
#include "cli.h"
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { PATIENCE = 1000 }; // milliseconds, for an error or a warning

enum cli_exit cli_exit_code(enum status_code code)
{
    switch (code) {
    case STATUS_OK:
        return EXIT_DONE;
    case STATUS_INVALID:
    case STATUS_SYSTEM:
    case STATUS_MEMORY:
        return EXIT_USAGE;
    case STATUS_IN_USE:
        return EXIT_IN_USE;
    case STATUS_DAMAGED:
        return EXIT_DIFFERENT;
    case STATUS_FULL:
    case STATUS_STOPPED:
        return EXIT_STOPPED;
    case STATUS_INTERNAL:
        break;
    }
    return EXIT_INTERNAL;
}

bool cli_takes_line(int fd, int milliseconds)
{
    struct pollfd stream = {.fd = fd, .events = POLLOUT};
    return poll(&stream, 1, milliseconds) != 0;
}

enum cli_exit cli_fail(const struct status *status)
{
    for (const char *line = status->text; *line && cli_takes_line(STDERR_FILENO, PATIENCE);) {
        size_t length = strcspn(line, "\n");
        fprintf(stderr, "%s%.*s\n", line == status->text ? "lgsweep: " : "", (int)length, line);
        line += length + (line[length] == '\n');
    }
    return cli_exit_code(status->code);
}

void cli_warn(const char *format, ...)
{
    va_list list;
    if (!cli_takes_line(STDERR_FILENO, PATIENCE))
        return;
    va_start(list, format);
    fprintf(stderr, "lgsweep: warning: ");
    vfprintf(stderr, format, list);
    fprintf(stderr, "\n");
    va_end(list);
}

void cli_print_lines(const struct bytes *lines)
{
    if (lines->size)
        fprintf(stderr, "%.*s%s", (int)lines->size, (const char *)lines->data,
                lines->data[lines->size - 1] == '\n' ? "" : "\n");
}

bool cli_is_terminal(int fd)
{
    const char *term = getenv("TERM"), *plain = getenv("NO_COLOR");
    return isatty(fd) && term && strcmp(term, "dumb") != 0 && !(plain && *plain);
}

int cli_columns(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20)
        return size.ws_col;
    return 80;
}
