// SPDX-License-Identifier: Apache-2.0
// cuSPARSE does not run on the model: types and status codes, for programs that name them and make no call.
#pragma once

#include "cusparse.h"
