// SPDX-License-Identifier: Apache-2.0
// The reader of FST files that comes with Verilator, which is meant to be compiled so.
#include <gtkwave/fastlz.c>
#include <gtkwave/fstapi.c>
#include <gtkwave/lz4.c>
