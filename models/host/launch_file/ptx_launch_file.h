// SPDX-License-Identifier: Apache-2.0
// The launch description that goes with a PTX file of any compiler: what a CUDA program's host half would have done.
//
//   kernel: saxpy                     # may be left out when the file has one kernel
//   grid: [4, 1, 1]                   # one to three numbers
//   block: [64]
//   shared_bytes: 0                   # dynamic shared memory
//   buffers:                          # device memory; a name, an element type, contents
//     x: {type: f32, count: 256, fill: 1.5}               # zero without fill
//     y: {type: f32, count: 256, random: [0, 1], seed: 7}
//     i: {type: s32, count: 256, first: 0, step: 1}       # 0, 1, 2, …
//     v: {type: u32, values: [1, 2, 3]}
//     f: {type: u8, file: input.bin}                      # beside this file
//   arguments: [x, y, f32 2.5, s32 256, hex 0001]         # a buffer, or a type and a value
//   outputs:
//     y: {print: 8, file: y.bin}
//   checks:
//     y: {equals: 3.5, tolerance: 1e-6}                   # or values: [...], or file: expected.bin; of f32, f64 only
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

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

// The files that it reads besides: contents of buffers, and what checks expect.
std::vector<std::string> files_named_in(const std::string& path);

}  // namespace warpfold::host
