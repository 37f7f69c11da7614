// SPDX-License-Identifier: Apache-2.0
// cuSOLVER does not run on the model: types and status codes, for programs that name them and make no call.
#pragma once

#include "cusolver_common.h"

typedef struct cusolverDnContext* cusolverDnHandle_t;
typedef struct syevjInfo* syevjInfo_t;
typedef struct gesvdjInfo* gesvdjInfo_t;
