// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/files/data_folder.h"

namespace warpfold {

namespace fs = std::filesystem;

// Programs are PREFIX/lib/warpfold/bin/NAME.
fs::path data_folder(const std::string& name, const fs::path& in_sources) {
  std::error_code none;
  const fs::path own = fs::read_symlink("/proc/self/exe", none);
  const fs::path installed = own.parent_path().parent_path().parent_path().parent_path() / "share/warpfold" / name;
  return fs::is_directory(installed, none) ? installed : in_sources;
}

}  // namespace warpfold
