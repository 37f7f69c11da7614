// SPDX-License-Identifier: Apache-2.0
// NPP does not run on the model: types and status codes, for programs that name them and make no call.
#pragma once

#include "cuda_runtime_api.h"

typedef unsigned char Npp8u;
typedef signed char Npp8s;
typedef unsigned short Npp16u;
typedef short Npp16s;
typedef unsigned int Npp32u;
typedef int Npp32s;
typedef unsigned long long Npp64u;
typedef long long Npp64s;
typedef float Npp32f;
typedef double Npp64f;
typedef struct {
  int width, height;
} NppiSize;
typedef struct {
  int x, y;
} NppiPoint;
typedef struct {
  int x, y, width, height;
} NppiRect;
typedef enum { NPP_NO_ERROR = 0, NPP_SUCCESS = 0, NPP_ERROR = -2 } NppStatus;
