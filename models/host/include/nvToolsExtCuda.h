// SPDX-License-Identifier: Apache-2.0
// For programs that include it by name: everything is in nvToolsExt.h.
#pragma once
#include "nvToolsExt.h"
