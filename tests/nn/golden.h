// SPDX-License-Identifier: MIT
// Golden hashes that every instruction set, compiler and optimisation gives. They change with NUMERICS alone. The
// executable's argument is `print`, for the table anew, or the one instruction set to try.
#pragma once
#include "base_isa.h"
#include "support.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct golden {
    size_t count;
    const uint64_t *hash; // (count)
    uint64_t (*train)(size_t index);
    void (*describe)(size_t index, char *ret_text, size_t size);
};

static inline bool golden_write(const struct golden *golden, int fd)
{
    for (size_t i = 0; i < golden->count; i++) {
        const uint64_t hash = golden->train(i);
        if (write(fd, &hash, sizeof hash) != sizeof hash)
            return false;
    }
    return true;
}

// A process of its own, since the instruction set is chosen once in each. False when it fails.
static inline bool golden_hashes(const struct golden *golden, enum isa isa, uint64_t *ret_hash)
{
    const size_t wanted = golden->count * sizeof *ret_hash;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        setenv("LGSWEEP_ISA", isa_name(isa), 1);
        _exit(isa_current() != isa || !golden_write(golden, ends[1]));
    }
    close(ends[1]);
    size_t size = 0;
    for (ssize_t got = 1; got > 0 && size < wanted; size += (size_t)(got > 0 ? got : 0))
        got = read(ends[0], (char *)ret_hash + size, wanted - size);
    close(ends[0]);
    int code;
    return waitpid(child, &code, 0) == child && code == 0 && size == wanted;
}

struct golden_case {
    const struct golden *golden;
    enum isa isa;
};

static void training_gives_the_golden_bits(void **state)
{
    const struct golden_case *c = *state;
    uint64_t *hash = calloc(c->golden->count, sizeof *hash);
    assert_non_null(hash);
    assert_true(golden_hashes(c->golden, c->isa, hash));
    size_t wrong = 0;
    for (size_t i = 0; i < c->golden->count; i++) {
        char text[256];
        c->golden->describe(i, text, sizeof text);
        if (hash[i] != c->golden->hash[i] && ++wrong)
            print_error("%s: %s: %016llx, not %016llx\n", isa_name(c->isa), text, (unsigned long long)hash[i],
                        (unsigned long long)c->golden->hash[i]);
    }
    free(hash);
    assert_int_equal(wrong, 0);
}

static inline int golden_print(const struct golden *golden)
{
    for (size_t i = 0; i < golden->count; i++)
        printf("    0x%016llx,\n", (unsigned long long)golden->train(i));
    return 0;
}

static inline int golden_main(const struct golden *golden, int count, char **arguments)
{
    const char *wish = count > 1 ? arguments[1] : NULL;
    struct golden_case cases[ISA_COUNT];
    struct CMUnitTest tests[ISA_COUNT];
    size_t used = 0;
    if (wish && !strcmp(wish, "print"))
        return golden_print(golden);
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        if (!isa_supported(isa) || (wish && strcmp(wish, isa_name(isa))))
            continue;
        cases[used] = (struct golden_case){golden, isa};
        tests[used] = (struct CMUnitTest){
            .name = isa_name(isa), .test_func = training_gives_the_golden_bits, .initial_state = &cases[used]};
        used++;
    }
    return used ? _cmocka_run_group_tests("golden bits", tests, used, NULL, NULL) : 1;
}
