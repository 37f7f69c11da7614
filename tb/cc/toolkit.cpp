// SPDX-License-Identifier: Apache-2.0
#include "tb/cc/toolkit.h"

namespace warpfold::cc {

const Toolkit& toolkit() {
  static const Toolkit here = [] {
    Toolkit found;
    const std::filesystem::path own =
        std::filesystem::read_symlink("/proc/self/exe");  // of a build, or PREFIX/lib/warpfold: bin/warpfold-cc
    const std::filesystem::path build = own.parent_path().parent_path();
    found.clang = WARPFOLD_CLANG;
    found.linker = WARPFOLD_LINKER;
    found.sanitizers = WARPFOLD_SANITIZE_FLAGS;
    found.installed = std::filesystem::exists(build / "include/cuda_runtime.h");
    found.headers = found.installed ? build / "include" : std::filesystem::path(WARPFOLD_CUDA_HEADERS);
    found.wrappers = WARPFOLD_CLANG_RESOURCES "/include/cuda_wrappers";
    found.libraries = build / "lib";
    found.root = build / "cuda";
    found.absent = found.root / "absent";
    return found;
  }();
  return here;
}

}  // namespace warpfold::cc
