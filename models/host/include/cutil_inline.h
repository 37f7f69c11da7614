// SPDX-License-Identifier: Apache-2.0
// The checks of CUDA 2 to 4 that are functions; everything is in cutil.h.
#pragma once

#include "cutil.h"
