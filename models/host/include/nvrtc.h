// SPDX-License-Identifier: Apache-2.0
// NVRTC: programs that compile CUDA C++ to PTX while they run, by the clang that warpfold-cc uses. Link with -lnvrtc.
#pragma once
#define __NVRTC_H__

#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct _nvrtcProgram* nvrtcProgram;
typedef enum {
  NVRTC_SUCCESS = 0,
  NVRTC_ERROR_OUT_OF_MEMORY = 1,
  NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
  NVRTC_ERROR_INVALID_INPUT = 3,
  NVRTC_ERROR_INVALID_PROGRAM = 4,
  NVRTC_ERROR_INVALID_OPTION = 5,
  NVRTC_ERROR_COMPILATION = 6,
  NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
  NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
  NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
  NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
  NVRTC_ERROR_INTERNAL_ERROR = 11
} nvrtcResult;

const char* nvrtcGetErrorString(nvrtcResult result);
nvrtcResult nvrtcVersion(int* major, int* minor);
/* 70 alone: the model's code is for sm_70, whatever is asked for. */
nvrtcResult nvrtcGetNumSupportedArchs(int* count);
nvrtcResult nvrtcGetSupportedArchs(int* architectures);

/* `name` is the file in messages, "default_program" where it is null. Names of headers are those of #include; absolute
   ones, and such as climb more than eight folders, are NVRTC_ERROR_INVALID_INPUT. */
nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char* name, int headers,
                               const char* const* header_texts, const char* const* header_names);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program);
/* An unknown option is NVRTC_ERROR_INVALID_OPTION, an error of the source NVRTC_ERROR_COMPILATION; the log has a line
   that says which. */
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options);

/* Sizes count the 0 at the end. Before a program has compiled, and for a CUBIN after --gpu-architecture=compute_…, they
   are 0. What the model takes for a CUBIN is the same PTX. */
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t* bytes);
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* ptx);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* bytes);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* cubin);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* bytes);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log);

/* What a kernel or a variable is called in the PTX: "kernel<int>", "&names::variable". The name lives as long as the
   program. */
nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* expression);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* expression, const char** name);

#if defined(__cplusplus)
}
#endif
