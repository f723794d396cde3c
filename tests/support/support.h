// SPDX-License-Identifier: MIT
// What every CMocka unit includes first.
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
