// SPDX-License-Identifier: MIT
#include "support.h"

#include "base_isa.h"
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// The choice is made once a process, so each wish needs a process of its own. NULL: no wish.
static enum isa chosen_with(const char *wish)
{
    pid_t child = fork();
    if (child == 0) {
        if (wish)
            setenv("LGSWEEP_ISA", wish, 1);
        else
            unsetenv("LGSWEEP_ISA");
        enum isa first = isa_current();
        setenv("LGSWEEP_ISA", "plain", 1);
        _exit(isa_current() == first ? (int)first : 99);
    }
    int status = 0;
    assert_true(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    return (enum isa)WEXITSTATUS(status);
}

static enum isa best(void)
{
    enum isa isa = ISA_COUNT - 1;
    while (!isa_supported(isa))
        isa--;
    return isa;
}

static void takes_the_best_without_a_wish(void **state)
{
    (void)state;
    assert_int_equal(chosen_with(NULL), best());
    assert_int_equal(chosen_with("no such set"), best());
}

static void follows_the_environment(void **state)
{
    (void)state;
    for (enum isa isa = 0; isa < ISA_COUNT; isa++)
        assert_int_equal(chosen_with(isa_name(isa)), isa_supported(isa) ? isa : best());
}

static void plain_is_always_there(void **state)
{
    (void)state;
    assert_true(isa_supported(ISA_PLAIN));
    assert_false(isa_supported(ISA_COUNT));
    assert_string_equal(isa_name(ISA_PLAIN), "plain");
    assert_string_equal(isa_name(ISA_AVX2), "avx2");
    assert_string_equal(isa_name(ISA_AVX512), "avx512");
}

static void check_accepts_supported_names(void **state)
{
    (void)state;
    struct status status = {0};
    unsetenv("LGSWEEP_ISA");
    assert_int_equal(isa_check(&status), STATUS_OK);
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        setenv("LGSWEEP_ISA", isa_name(isa), 1);
        assert_int_equal(isa_check(&status), isa_supported(isa) ? STATUS_OK : STATUS_INVALID);
    }
    unsetenv("LGSWEEP_ISA");
}

static void check_names_variable_value_and_choices(void **state)
{
    (void)state;
    static const char *const rows[] = {"avx", "AVX2", "", "plain ", "sse"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct status status = {0};
        char quoted[32] = "\"";
        strcat(strcat(quoted, rows[i]), "\"");
        setenv("LGSWEEP_ISA", rows[i], 1);
        assert_int_equal(isa_check(&status), STATUS_INVALID);
        assert_non_null(strstr(status.text, "LGSWEEP_ISA"));
        assert_non_null(strstr(status.text, quoted));
        for (enum isa isa = 0; isa < ISA_COUNT; isa++)
            assert_int_equal(!!strstr(status.text, isa_name(isa)),
                             isa_supported(isa) || strstr(rows[i], isa_name(isa)));
    }
    unsetenv("LGSWEEP_ISA");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_best_without_a_wish),
        cmocka_unit_test(follows_the_environment),
        cmocka_unit_test(plain_is_always_there),
        cmocka_unit_test(check_accepts_supported_names),
        cmocka_unit_test(check_names_variable_value_and_choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
