// SPDX-License-Identifier: Apache-2.0
// For programs that include it by name: everything is in cuda_runtime.h.
#pragma once
#define __DEVICE_LAUNCH_PARAMETERS_H__

#include "cuda_runtime.h"
