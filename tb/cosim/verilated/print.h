// SPDX-License-Identifier: Apache-2.0
// Included before Verilator's runtime: its messages come to us instead of standard output.
#pragma once

extern "C" int warpfold_rtl_print(const char* format, ...) __attribute__((format(printf, 1, 2)));
#define VL_PRINTF warpfold_rtl_print
