// SPDX-License-Identifier: Apache-2.0
// The version that sources and clang's own headers ask for. The driver interface (cu…) is not modelled.
#pragma once

#define CUDA_VERSION 11050

typedef unsigned int cuuint32_t;
typedef unsigned long long cuuint64_t;
