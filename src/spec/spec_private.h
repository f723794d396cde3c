// SPDX-License-Identifier: MIT
// Shared by the files of the layer alone.
#pragma once
#include "spec_settings.h"

// Bounds for buffers on the stack; the table asserts the first, a test the second.
enum { SETTINGS_LIMIT = 96, SETTING_NAME_LIMIT = 32 };
