// SPDX-License-Identifier: MIT
#include "cli.h"

int main(int argc, char **argv)
{
    return (int)cli_main(argc, argv);
}
