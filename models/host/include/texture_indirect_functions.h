// SPDX-License-Identifier: Apache-2.0
// For programs that include it by name: everything is in cuda_runtime.h.
#pragma once

#include "cuda_runtime.h"
