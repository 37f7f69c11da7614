// SPDX-License-Identifier: Apache-2.0
// Error codes, their names and their meanings.
#include <algorithm>
#include <array>
#include <string_view>

#include "warpfold/host/runtime/context.h"

namespace warpfold::host {
namespace {

struct ErrorText {
  cudaError_t code;
  const char* name;
  const char* meaning;
};

#define WARPFOLD_TEXT(name, value, text) ErrorText{name, #name, text},
constexpr std::array kErrors = {WARPFOLD_CUDA_ERRORS(WARPFOLD_TEXT)};
#undef WARPFOLD_TEXT

const ErrorText* find(cudaError_t error) {
  const auto* found = std::find_if(kErrors.begin(), kErrors.end(), [&](const ErrorText& e) { return e.code == error; });
  return found == kErrors.end() ? nullptr : found;
}

}  // namespace
}  // namespace warpfold::host

extern "C" {

// The error of a kernel stays, whoever asks for it.
cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  warpfold::host::clear_error();
  return error;
}
cudaError_t cudaPeekAtLastError() {
  const cudaError_t fault = warpfold::host::Context::instance().fault;
  return fault != cudaSuccess ? fault : warpfold::host::last_error();
}

const char* cudaGetErrorString(cudaError_t error) {
  const auto* found = warpfold::host::find(error);
  return found == nullptr ? "unrecognized error code" : found->meaning;
}
const char* cudaGetErrorName(cudaError_t error) {
  const auto* found = warpfold::host::find(error);
  return found == nullptr ? "unrecognized error code" : found->name;
}

}  // extern "C"
