// SPDX-License-Identifier: MIT
// What a file must be before it has nodes: UTF-8 text, and YAML; what libyaml says about it, in this program's words.
#pragma once
#include "config_report.h"
#include <yaml.h>

// False, with an error in the report, when some byte cannot be in a YAML file.
bool syntax_check_bytes(struct report *report, const char *text, size_t size);

// A copy in which tabs on lines without content (blank, or a comment alone) are spaces: YAML allows them, libyaml does
// not. No place moves.
char *syntax_without_idle_tabs(struct report *report, const char *text, size_t size);

// The error that the parser stopped at.
void syntax_report(struct report *report, const yaml_parser_t *parser, const char *text, size_t size);

struct source_place syntax_place(yaml_mark_t mark);
