// SPDX-License-Identifier: Apache-2.0
// The launch description that goes with a PTX file of any compiler: what a CUDA program's host half would have done.
// Its keys: docs/launch-files.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "warpfold/common/config/config.h"
#include "warpfold/host/launch_file/ptx_launch_values.h"
#include "warpfold/isa/execute/execute.h"

namespace warpfold::host {

struct LaunchBuffer {
  ValueType type = ValueType::kU8;
  std::vector<std::byte> contents;
  std::size_t count() const { return contents.size() / bytes_of(type); }
};

struct LaunchArgument {
  std::string buffer;  // empty: `value` holds the bytes
  std::vector<std::byte> value;
  std::string text;  // as written, for messages
};

struct LaunchOutput {
  std::string buffer;
  std::uint64_t print = 0;  // that many elements
  std::string file;         // empty: none
};

struct LaunchCheck {
  std::string buffer;
  std::vector<std::byte> expected;  // one element (for all of them), or as many as are compared
  bool same_for_all = false;
  double tolerance = 0.0;
};

struct LaunchDescription {
  std::string file;
  std::string kernel;  // empty: the only one
  isa::Dim3 grid, block;
  std::uint32_t shared_bytes = 0;
  std::vector<std::pair<std::string, LaunchBuffer>> buffers;
  std::vector<LaunchArgument> arguments;
  std::string arguments_place;  // file:line:column
  std::vector<LaunchOutput> outputs;
  std::vector<LaunchCheck> checks;

  const LaunchBuffer* buffer(const std::string& name) const;
};

// Throws UserError "file:line:column: key …", also for buffers that together take more than `most_bytes`.
LaunchDescription read_launch_description(const std::string& path, std::uint64_t most_bytes);

const std::vector<FieldView>& launch_keys();  // of such a file

// The files that it reads besides: contents of buffers, and what checks expect.
std::vector<std::string> files_named_in(const std::string& path);

}  // namespace warpfold::host
