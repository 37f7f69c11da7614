// SPDX-License-Identifier: Apache-2.0
// NVRTC's options as those of warpfold-cc.
#pragma once

#include <string>
#include <vector>

namespace warpfold::host::nvrtc {

struct CompileOptions {
  std::vector<std::string> arguments;       // of warpfold-cc
  std::string architecture = "compute_52";  // as given
  bool device_by_default = false;           // functions without a space may be called on the device
  bool beside_source = true;                // what stands beside the source may be included
  bool reads_folders = false;               // files of the user's may be part of it
  bool gives_binary() const { return architecture.starts_with("sm_"); }
};

// UserError, one line, for an option that is unknown, or that has no value or a wrong one. A value stands behind `=`,
// in the same text behind a blank, behind one letter, or in the next text.
CompileOptions read_options(const std::vector<std::string>& given);

}  // namespace warpfold::host::nvrtc
