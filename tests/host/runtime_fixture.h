// SPDX-License-Identifier: Apache-2.0
// A CUDA program's host half over the test device: its kernels and variables, registered as clang registers them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/host/front_end.h"
#include "tests/host/scalar_device.h"
#include "warpfold/host/include/cuda_runtime_api.h"
#include "warpfold/host/runtime/context.h"

extern "C" {
void** __cudaRegisterFatBinary(void* data);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaRegisterFunction(void** handle, const char* host_function, char* device_function, const char* device_name,
                            int, void*, void*, void*, void*, int*);
void __cudaRegisterVar(void** handle, char* host_variable, char*, const char* device_name, int, std::size_t, int, int);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes, void* stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes, void* stream);
}

namespace warpfold::host {

// The addresses of its members stand for kernels and variables of the same names.
struct RegisteredProgram {
  RegisteredProgram();
  char scale = 0, wild = 0, bounded = 0, crooked = 0, gives_up = 0, factor = 0, total = 0;
  std::string ptx;
  struct {
    int magic = 0x466243b1, version = 1;
    const char* ptx = nullptr;
    void* unused = nullptr;
  } wrapper;
};
RegisteredProgram& program();

// Every test begins with a device that nothing has been done with.
class RuntimeApi : public ::testing::Test {
 protected:
  RuntimeApi();
  static int* device_ints(const std::vector<int>& values);
  static std::vector<int> host_ints(const int* p, std::size_t count);
  // scale(): multiplies n integers by factor[0], 3 at first, and adds `shift`.
  static cudaError_t launch_scale(int* p, short shift, int n, cudaStream_t stream = nullptr);
  // A kernel with one pointer for its parameter.
  static cudaError_t launch(const char& kernel, void* p, dim3 grid = dim3(1), dim3 block = dim3(1),
                            std::size_t shared_bytes = 0);
};

}  // namespace warpfold::host
