// SPDX-License-Identifier: Apache-2.0
// What the programs beside this share: checks by name, and how they end.
#pragma once

#include <cstdio>

class Checks {
 public:
  void operator()(const char* what, bool good) {
    if (!good) std::printf("wrong: %s\n", what);
    wrong_ += good ? 0 : 1;
    ++all_;
  }
  // The program's exit status.
  int end() const {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%d checks, %d wrong, %s\n", all_, wrong_, cudaGetErrorName(error));
    return wrong_ == 0 && error == cudaSuccess ? 0 : 1;
  }

 private:
  int all_ = 0, wrong_ = 0;
};
