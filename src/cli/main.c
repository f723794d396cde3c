// SPDX-License-Identifier: MIT
#include "cli.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// A file that is opened gets the lowest free number: where a standard stream is closed, what is printed would end up in
// the journal.
static void fill_standard_streams(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

// Output that was lost is an error, but for a reader that wanted no more of it.
static enum cli_exit check_output(enum cli_exit code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    if (errno == EPIPE || code != EXIT_DONE)
        return code;
    fprintf(stderr, "lgsweep: cannot write the output: %s\n", errno ? strerror(errno) : "it was cut off");
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    fill_standard_streams();
    return (int)check_output(cli_main(argc, argv));
}
