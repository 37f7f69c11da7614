// SPDX-License-Identifier: Apache-2.0
// The table of mechanisms. A mechanism's file registers it; nothing else names it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warpfold/common/config/config.h"
#include "warpfold/divergence/hardware.h"
#include "warpfold/divergence/mechanism.h"

namespace warpfold::divergence {

// Whose threads may come to share a warp, besides those that a warp starts with.
enum class Regroups : std::uint8_t { kNobody, kBlock, kCore };

// A mechanism with its parameters read: makes one instance per core.
struct Configured {
  std::vector<FieldView> parameters;  // effective values, for the dump
  std::function<std::unique_ptr<Mechanism>(const Geometry&, Core&)> make;
  // Why it cannot run on a core of this geometry; empty: it can.
  std::function<std::string(const Geometry&)> why_not = [](const Geometry&) { return std::string(); };
  std::function<Shape(const Geometry&)> shape = [](const Geometry& geometry) {
    return Shape{geometry.warp_size, geometry.max_threads / geometry.warp_size};
  };
  Regroups regroups = Regroups::kNobody;
  // May parts of its structures go to memory (Core::spill)?
  bool spills = false;
  // Is it told of loads of which some lanes have their data (Mechanism::partly_loaded)?
  bool divides = false;
  // What it adds to such a core.
  std::function<Hardware(const HardwareGeometry&)> hardware;
};

struct MechanismInfo {
  std::string name;
  std::string description;  // one line
  std::string source;       // paper and section
  std::function<Configured(const ConfigNode& parameters)> configure;
};

const std::vector<MechanismInfo>& mechanisms();  // by name
// Names that were there when another mechanism registered under them, which was in vain.
const std::vector<std::string>& registered_twice();
// Throws UserError with the nearest names when there is no such mechanism.
const MechanismInfo& find_mechanism(std::string_view name);

// Put one at namespace scope in the mechanism's file. P: its parameters, a struct with fields(), with
// `Hardware hardware(const HardwareGeometry&) const`, what they add to a core, and, where they are needed,
// `void loaded()`, which reads what they name, `std::string why_not(const Geometry&) const`,
// `Shape shape(const Geometry&) const`, `bool spills() const`, `bool divides() const` and a constant kRegroups; M:
// constructed from (const P&, const Geometry&, Core&), or made by a static M::make() of these.
template <class P, class M>
struct Register {
  Register(const char* name, const char* description, const char* source);
};

void add_mechanism(MechanismInfo info);

template <class P, class M>
Register<P, M>::Register(const char* name, const char* description, const char* source) {
  add_mechanism({name, description, source, [](const ConfigNode& node) {
                   P params;
                   load_optional(params, node);
                   if constexpr (requires { params.loaded(); }) params.loaded();
                   Configured configured;
                   configured.parameters = fields_of(params);
                   configured.make = [params](const Geometry& geometry, Core& core) -> std::unique_ptr<Mechanism> {
                     if constexpr (requires { M::make(params, geometry, core); }) {
                       return M::make(params, geometry, core);
                     } else {
                       return std::make_unique<M>(params, geometry, core);
                     }
                   };
                   if constexpr (requires { params.why_not(Geometry{}); }) {
                     configured.why_not = [params](const Geometry& geometry) { return params.why_not(geometry); };
                   }
                   if constexpr (requires { params.shape(Geometry{}); }) {
                     configured.shape = [params](const Geometry& geometry) { return params.shape(geometry); };
                   }
                   if constexpr (requires { P::kRegroups; }) configured.regroups = P::kRegroups;
                   if constexpr (requires { params.spills(); }) configured.spills = params.spills();
                   if constexpr (requires { params.divides(); }) configured.divides = params.divides();
                   configured.hardware = [params](const HardwareGeometry& geometry) {
                     return params.hardware(geometry);
                   };
                   return configured;
                 }});
}

}  // namespace warpfold::divergence
