// SPDX-License-Identifier: MIT
#include "base_isa.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char variable[] = "LGSWEEP_ISA";

bool isa_supported(enum isa isa)
{
    switch (isa) {
    case ISA_PLAIN:
        return true;
#if defined __x86_64__
    case ISA_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case ISA_AVX512:
        return isa_supported(ISA_AVX2) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#elif defined __aarch64__
    case ISA_NEON:
        return true;
#endif
    default:
        return false;
    }
}

const char *isa_name(enum isa isa)
{
    static const char *const names[ISA_COUNT] = {"plain", "avx2", "avx512", "neon"};
    return isa < ISA_COUNT ? names[isa] : "unknown";
}

// ISA_COUNT when `name` is not that of a supported one.
static enum isa supported_named(const char *name)
{
    for (enum isa isa = 0; isa < ISA_COUNT; isa++)
        if (!strcmp(name, isa_name(isa)) && isa_supported(isa))
            return isa;
    return ISA_COUNT;
}

static enum isa choose(void)
{
    const char *wish = getenv(variable);
    enum isa isa = wish ? supported_named(wish) : ISA_COUNT;
    if (isa != ISA_COUNT)
        return isa;
    isa = ISA_COUNT - 1;
    while (!isa_supported(isa))
        isa--;
    return isa;
}

enum isa isa_current(void)
{
    static _Atomic int choice = -1; // threads that race here store the same value
    int isa = atomic_load_explicit(&choice, memory_order_relaxed);
    if (isa < 0) {
        isa = (int)choose();
        atomic_store_explicit(&choice, isa, memory_order_relaxed);
    }
    return (enum isa)isa;
}

enum status_code isa_check(struct status *status)
{
    const char *wish = getenv(variable);
    if (!wish || supported_named(wish) != ISA_COUNT)
        return STATUS_OK;
    char names[64] = "";
    for (enum isa isa = 0; isa < ISA_COUNT; isa++)
        if (isa_supported(isa)) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", isa_name(isa));
        }
    return status_set(
        status, STATUS_INVALID,
        "environment variable %s is \"%.64s\"; this machine supports: %s. Set it to one of these or unset it", variable,
        wish, names);
}
