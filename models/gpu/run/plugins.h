// SPDX-License-Identifier: Apache-2.0
// Shared objects that bring what is not built in: mechanisms, or what stands behind the GPU (docs/plug-ins.md).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace warpfold {

class Gpu;
struct RunOptions;

// Paths with a colon between each two. Programs load them before they make their device.
inline constexpr const char* kPluginsVariable = "WARPFOLD_PLUGINS";

// Loads what the variable names, each once: mechanisms register themselves by that. It names `also` from then on, for
// the processes that this one starts, too. UserError, one line: there is no such file, it was built for other headers
// than these, it cannot be loaded, it brings nothing, a mechanism of its name is there, or two bring a memory.
void load_plugins(const std::vector<std::string>& also = {});

std::vector<std::string> plugins();  // full paths of those that are loaded

// Binds what the machine's boundary leaves out (GpuOptions::bind), by the function
//   extern "C" void warpfold_bind(warpfold::Gpu& gpu, std::shared_ptr<void>& keep);
// of the plug-in that has one; empty: none has. What it leaves in `keep` goes before the GPU does.
using BindMemory = std::function<void(Gpu&, std::shared_ptr<void>&)>;
BindMemory plugged_memory();

// UserError if the machine's boundary leaves something out and nobody binds the rest.
void check_boundary(const RunOptions& options, bool somebody_binds);

}  // namespace warpfold
