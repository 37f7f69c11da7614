// SPDX-License-Identifier: Apache-2.0
#include "tb/cudart/lifetime.h"

#include <atomic>

namespace warpfold::host {
namespace {

std::atomic<bool> keeping = false;

}  // namespace

void keep_what_is_made() { keeping = true; }

}  // namespace warpfold::host

// The linker brings the library's calls of __cxa_atexit() here (--wrap).
extern "C" {

int __real___cxa_atexit(void (*destroy)(void*), void* object, void* library);

int __wrap___cxa_atexit(void (*destroy)(void*), void* object, void* library) {
  return warpfold::host::keeping ? 0 : __real___cxa_atexit(destroy, object, library);
}

}  // extern "C"
