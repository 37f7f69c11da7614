// SPDX-License-Identifier: Apache-2.0
// libstdc++ writes __attribute__((__noinline__)) here (<memory>, <future>, <regex> …), which CUDA's keyword of that
// name would take apart.

#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")

