// SPDX-License-Identifier: Apache-2.0
// The name that helper_math.h had up to CUDA 4.
#pragma once

#include "helper_math.h"
