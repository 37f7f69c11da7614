// SPDX-License-Identifier: Apache-2.0
// The table of mechanisms. A mechanism's file registers it; nothing else names it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/config.h"
#include "models/divergence/mechanism.h"

namespace warpfold::divergence {

// What a mechanism may ask of the core that it is to run on.
struct Geometry {
  unsigned warp_size = 32;
  unsigned simd_width = 8;
  unsigned max_threads = 1024;  // per core
  unsigned max_warps = 32;      // slots of the warp buffer
  unsigned max_blocks = 8;
  unsigned schedulers = 1;
};

// A mechanism with its parameters read: makes one instance per core.
struct Configured {
  std::vector<FieldView> parameters;  // effective values, for the dump
  std::function<std::unique_ptr<Mechanism>(const Geometry&, Core&)> make;
};

struct MechanismInfo {
  std::string name;
  std::string description;  // one line
  std::string source;       // paper and section
  std::function<Configured(const ConfigNode& parameters)> configure;
  // Why it cannot run on a core of this geometry; empty: it can.
  std::function<std::string(const Geometry&)> why_not;
};

const std::vector<MechanismInfo>& mechanisms();  // by name
// Throws UserError with the nearest names when there is no such mechanism.
const MechanismInfo& find_mechanism(std::string_view name);

// Put one at namespace scope in the mechanism's file. P: its parameters (a struct with fields()); M: constructed from
// (const P&, const Geometry&, Core&).
template <class P, class M>
struct Register {
  Register(
      const char* name, const char* description, const char* source,
      std::function<std::string(const Geometry&)> why_not = [](const Geometry&) { return std::string(); });
};

void add_mechanism(MechanismInfo info);

template <class P, class M>
Register<P, M>::Register(const char* name, const char* description, const char* source,
                         std::function<std::string(const Geometry&)> why_not) {
  add_mechanism({name, description, source,
                 [](const ConfigNode& node) {
                   P params;
                   load_optional(params, node);
                   return Configured{fields_of(params), [params](const Geometry& geometry, Core& core) {
                                       return std::make_unique<M>(params, geometry, core);
                                     }};
                 },
                 std::move(why_not)});
}

}  // namespace warpfold::divergence
