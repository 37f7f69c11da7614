// SPDX-License-Identifier: Apache-2.0
// What the model does not have: each call says so, once, and fails.
#include "warpfold/host/include/warpfold/unsupported_calls.h"
#include "warpfold/host/runtime/context.h"

namespace warpfold::host {
namespace {

cudaError_t not_supported(const char* call, const char* why) {
  return guarded([&](Context& context) {
    if (context.notices.insert(call).second) warn(fmt::format("{} is not supported: {}", call, why));
    return cudaErrorNotSupported;
  });
}

}  // namespace
}  // namespace warpfold::host

extern "C" {

#define WARPFOLD_CALL(call, why) \
  cudaError_t call(...) { return warpfold::host::not_supported(#call, why); }
WARPFOLD_UNSUPPORTED_CALLS(WARPFOLD_CALL)
#undef WARPFOLD_CALL

}  // extern "C"
