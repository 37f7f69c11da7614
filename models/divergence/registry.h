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
  unsigned max_warps = 32;  // slots of the warp buffer; as many as rows of threads unless the mechanism asks for more
  unsigned max_blocks = 8;
  unsigned schedulers = 1;
};

// What a mechanism makes of the core's warps.
struct Shape {
  unsigned warp_width = 32;  // lanes: thread t of a block is for good in lane t mod width
  unsigned warp_slots = 32;  // of the warp buffer
};

// A mechanism with its parameters read: makes one instance per core.
struct Configured {
  std::vector<FieldView> parameters;  // effective values, for the dump
  std::function<std::unique_ptr<Mechanism>(const Geometry&, Core&)> make;
  // Why it cannot run on a core of this geometry; empty: it can.
  std::function<std::string(const Geometry&)> why_not = [](const Geometry&) { return std::string(); };
  std::function<Shape(const Geometry&)> shape = [](const Geometry& geometry) {
    return Shape{geometry.warp_size, geometry.max_threads / geometry.warp_size};
  };
};

struct MechanismInfo {
  std::string name;
  std::string description;  // one line
  std::string source;       // paper and section
  std::string cost;         // what it adds to a core, for area and timing: storage and logic, with the paper's section
  std::function<Configured(const ConfigNode& parameters)> configure;
};

const std::vector<MechanismInfo>& mechanisms();  // by name
// Throws UserError with the nearest names when there is no such mechanism.
const MechanismInfo& find_mechanism(std::string_view name);

// Put one at namespace scope in the mechanism's file. P: its parameters, a struct with fields() and, where they are
// needed, `void loaded()`, which reads what they name, `std::string why_not(const Geometry&) const` and
// `Shape shape(const Geometry&) const`; M: constructed from (const P&, const Geometry&, Core&).
template <class P, class M>
struct Register {
  Register(const char* name, const char* description, const char* source, const char* cost);
};

void add_mechanism(MechanismInfo info);

template <class P, class M>
Register<P, M>::Register(const char* name, const char* description, const char* source, const char* cost) {
  add_mechanism({name, description, source, cost, [](const ConfigNode& node) {
                   P params;
                   load_optional(params, node);
                   if constexpr (requires { params.loaded(); }) params.loaded();
                   Configured configured;
                   configured.parameters = fields_of(params);
                   configured.make = [params](const Geometry& geometry, Core& core) {
                     return std::make_unique<M>(params, geometry, core);
                   };
                   if constexpr (requires { params.why_not(Geometry{}); }) {
                     configured.why_not = [params](const Geometry& geometry) { return params.why_not(geometry); };
                   }
                   if constexpr (requires { params.shape(Geometry{}); }) {
                     configured.shape = [params](const Geometry& geometry) { return params.shape(geometry); };
                   }
                   return configured;
                 }});
}

}  // namespace warpfold::divergence
