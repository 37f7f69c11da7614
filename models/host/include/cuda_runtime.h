// SPDX-License-Identifier: Apache-2.0
// What nvcc gives every .cu file without being asked; warpfold-cc includes it first. The order of the includes matters.
#pragma once
#define __CUDA_RUNTIME_H__

// clang-format off
#if defined(__CUDA__) && defined(__clang__)
// Overloads of the mathematical functions for device code must be declared before <cmath> is first read.
#include "host_defines.h"
#include <__clang_cuda_math_forward_declares.h>
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 11
#define __CUDACC_VER_MINOR__ 5
#define __CUDACC_VER_BUILD__ 119
#include <limits.h>
#include <stdlib.h>
#include "warpfold/device_heap.h"
#include <math.h>
#include <string.h>
#include <time.h>

#include <cmath>
#include <cstdlib>

// Programs name what nvcc's headers bring along: integers of fixed width, printf, assert, std::initializer_list (braces
// in the head of a loop) and std::pair.
#include <assert.h>
#include <stdint.h>
#include <stdio.h>

#include <utility>
#endif

#include "cuda.h"
#include "cuda_runtime_api.h"

#if defined(__CUDA__) && defined(__clang__)
#include "warpfold/device_builtins.h"
#include "warpfold/device_atomics.h"
#include "warpfold/device_overloads.h"
#include "warpfold/device_intrinsics.h"
#include "warpfold/special_functions.h"
#include "warpfold/surface.h"
#include "warpfold/texture.h"

// Programs ask by their guards whether these have been read; nvcc reads them first, too.
#include "builtin_types.h"
#include "channel_descriptor.h"
#include "common_functions.h"
#include "cuda_device_runtime_api.h"
#include "device_functions.h"
#include "device_launch_parameters.h"
#include "driver_functions.h"
#include "math_functions.h"
#endif
// clang-format on
