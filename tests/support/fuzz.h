// SPDX-License-Identifier: MIT
// A fuzzer is one function. libFuzzer calls it with clang (tests/meson.build tells how), and corpus.c calls it in every
// build with the files of its corpus. It aborts where a promise is broken.
#pragma once
#include <stddef.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size); // returns 0
