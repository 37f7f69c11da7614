// SPDX-License-Identifier: Apache-2.0
// For programs that include it by name: what a kernel's occupancy is the runtime says (cuda_runtime_api.h).
#pragma once

#include "cuda_runtime.h"
