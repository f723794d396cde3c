// SPDX-License-Identifier: MIT
// Runs scripted trials through a trainer. The test executables are their own trainers: see driver_main.
#pragma once
#include "support.h"

#include "record.h"
#include "scripted_trial.h"
#include "trainer.h"

struct trainer *open_trainer(bool in_process, const char *wrap, double time_limit);
void start_script(struct trainer *trainer, enum script script, int64_t steps, int64_t milliseconds);

// Polls until the trial is over, for 30 s at most. The record, decoded, belongs to the caller; may be NULL.
enum record_run await_end(struct trainer *trainer, struct record *ret_record);
// start_script and await_end.
enum record_run run_script(struct trainer *trainer, enum script script, struct record *ret_record);

int open_descriptors(void);   // of this process
bool process_exists(int pid); // and is no zombie
bool process_ends(int pid);   // within 2 s

// `lgsweep trainer …` as this executable does it, or the tests.
int driver_main(int count, char **arguments, int (*all_tests)(void));
