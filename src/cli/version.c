// SPDX-License-Identifier: MIT
#include "base_hash.h"
#include "base_isa.h"
#include "base_version.h"
#include "cli_version.h"
#include "comm_version.h"
#include "config_version.h"
#include "npz_version.h"
#include "spec_settings.h"
#include "store_version.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void cli_libraries(char *ret_text, size_t size)
{
    char mpi[256], hdf5[64], yaml[64], zip[64], hash[64];
    comm_version(mpi, sizeof mpi);
    store_version(hdf5, sizeof hdf5);
    config_version(yaml, sizeof yaml);
    npz_version(zip, sizeof zip);
    base_version(hash, sizeof hash);
    snprintf(ret_text, size, "%s; %s; %s; %s; %s", mpi, hdf5, yaml, zip, hash);
}

void cli_print_version(void)
{
    char libraries[1024];
    cli_libraries(libraries, sizeof libraries);
    printf("lgsweep %s (numerics %d, instruction set %s)\n", LGSWEEP_VERSION, NUMERICS, isa_name(isa_current()));
    for (const char *at = libraries; *at;) {
        size_t length = strcspn(at, ";");
        printf("  %.*s\n", (int)length, at);
        at += length;
        at += strspn(at, "; ");
    }
#ifdef __clang__
    printf("  built with clang %s\n", __clang_version__);
#else
    printf("  built with gcc %s\n", __VERSION__);
#endif
}

// The running file itself: whatever differs between two builds shows there.
void cli_build_id(char ret_text[CLI_BUILD_SIZE])
{
    struct hash128 hash = {0};
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat about;
    if (fd >= 0 && fstat(fd, &about) == 0 && about.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            hash = hash_128(bytes, (size_t)about.st_size);
            munmap(bytes, (size_t)about.st_size);
        }
    }
    if (fd >= 0)
        close(fd);
    char text[HASH_TEXT_SIZE];
    hash_text(hash, text);
    snprintf(ret_text, CLI_BUILD_SIZE, "lgsweep " LGSWEEP_VERSION " %s", text);
}
