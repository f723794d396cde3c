// SPDX-License-Identifier: MIT
#pragma once

double clock_now(void);    // seconds on the monotonic clock
double clock_cpu(void);    // seconds of processor time that this process has used
double clock_thread(void); // the same of the calling thread alone
double clock_wall(void);   // seconds since 1970
void clock_sleep(double seconds);
