// SPDX-License-Identifier: Apache-2.0
// Files that a user names: read whole, whatever they turn out to be.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace warpfold {

struct InputLimits {
  std::uint64_t bytes = std::uint64_t{256} << 20;
  int silence_ms = 10'000;  // of a pipe
};

// The contents of the file, which `what` names in messages ("PTX file"). Pipes (/dev/stdin, <(command)) are read to
// their end. UserError: what cannot be read, directories, devices, what is beyond the limits.
std::string read_input(const std::string& path, const std::string& what, const InputLimits& limits = {});

// The same of a file that others open by its name: UserError unless it is a regular one that can be read.
void check_regular_file(const std::string& path, const std::string& what);

// The contents of such a file, however large, part by part in their order.
void read_in_parts(const std::string& path, const std::string& what, const std::function<void(std::string_view)>& take);

// The same, and pipes are taken, too: those that are read once.
void read_stream(const std::string& path, const std::string& what, const std::function<void(std::string_view)>& take);

}  // namespace warpfold
