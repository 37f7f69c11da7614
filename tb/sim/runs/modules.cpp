// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/runs/modules.h"

#include <functional>
#include <map>
#include <string_view>
#include <systemc>

#include "warpfold/common/clock/link.h"
#include "warpfold/divergence/registry.h"
#include "warpfold/gpu/machine/gpu.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold::sim {
namespace {

void visit_all(const std::vector<sc_core::sc_object*>& objects, const std::function<void(sc_core::sc_object&)>& visit) {
  for (sc_core::sc_object* const object : objects) {
    visit(*object);
    visit_all(object->get_child_objects(), visit);
  }
}

// A socket is a port with an export for the way back, or the other way round: the object beneath is no module's own.
bool is_module(const sc_core::sc_object& object) { return dynamic_cast<const sc_core::sc_module*>(&object) != nullptr; }

// Of everything that has been made, with the links that were made meanwhile, in the order of boxes and of their ends.
std::vector<Binding> bindings(const std::vector<const LinkStart*>& links) {
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // binds the sockets
  std::map<const sc_core::sc_interface*, const sc_core::sc_object*> targets;
  visit_all(sc_core::sc_get_top_level_objects(), [&](sc_core::sc_object& object) {
    const sc_core::sc_object* const owner = object.get_parent_object();
    auto* const as_export = dynamic_cast<sc_core::sc_export_base*>(&object);
    if (as_export != nullptr && owner != nullptr && is_module(*owner)) targets[as_export->get_interface()] = owner;
  });
  std::vector<Binding> found;
  visit_all(sc_core::sc_get_top_level_objects(), [&](sc_core::sc_object& object) {
    if (is_module(object)) {
      for (const LinkStart* const link : links) {
        if (link->owner() == &object) found.push_back({object.name(), link->name(), link->peer()->owner()->name()});
      }
    }
    auto* const port = dynamic_cast<sc_core::sc_port_base*>(&object);
    const sc_core::sc_object* const owner = object.get_parent_object();
    if (port == nullptr || owner == nullptr || !is_module(*owner)) return;
    if (std::string_view(object.kind()) != "tlm_initiator_socket") return;
    const auto target = targets.find(port->get_interface());
    if (target != targets.end()) found.push_back({owner->name(), object.basename(), target->second->name()});
  });
  return found;
}

}  // namespace

std::vector<Binding> bindings_of(const std::string& machine) {
  const std::vector<std::string> smallest{"cores=1", "memory.channels=1", "memory.slices_per_channel=1"};
  const RunOptions options = RunOptions::resolve(machine, "tbc", smallest);
  const auto mechanism = divergence::find_mechanism(options.mechanism).configure(options.mechanism_parameters);
  StatRegistry registry;
  std::vector<const LinkStart*> links;
  LinkStart::made = &links;
  const Gpu gpu("gpu", options.machine, mechanism, registry);
  LinkStart::made = nullptr;
  return bindings(links);
}

}  // namespace warpfold::sim
