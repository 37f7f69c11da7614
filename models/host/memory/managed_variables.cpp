// SPDX-License-Identifier: Apache-2.0
#include "warpfold/host/memory/managed_variables.h"

#include <algorithm>
#include <iterator>

#include "warpfold/common/error.h"

namespace warpfold::host {

void ManagedVariables::add(std::size_t module, std::string name, void* host, std::uint64_t bytes) {
  variables_[reinterpret_cast<Address>(host)] = {module, std::move(name), bytes};
}

bool ManagedVariables::any_of(std::size_t module) const {
  return std::any_of(variables_.begin(), variables_.end(),
                     [&](const auto& entry) { return entry.second.module == module; });
}

std::map<std::string, Address, std::less<>> ManagedVariables::lend(
    DeviceMemory& memory, const std::function<bool(std::size_t module)>& wanted) {
  std::map<std::string, Address, std::less<>> lent;
  for (auto& [host, variable] : variables_) {
    if (!wanted(variable.module)) continue;
    variable.device = memory.lend(reinterpret_cast<void*>(host), variable.bytes, variable.name);
    if (variable.device == 0) user_error("no room for the __managed__ variable {}", variable.name);
    lent[variable.name] = variable.device;
  }
  return lent;
}

void ManagedVariables::forget_addresses() {
  for (auto& [host, variable] : variables_) variable.device = 0;
}

Address ManagedVariables::on_device(Address at) const {
  const auto above = variables_.upper_bound(at);
  if (above == variables_.begin()) return at;
  const auto& [host, variable] = *std::prev(above);
  return variable.device != 0 && at - host < variable.bytes ? variable.device + (at - host) : at;
}

const void* ManagedVariables::on_device(const void* pointer) const {
  return reinterpret_cast<const void*>(on_device(reinterpret_cast<Address>(pointer)));
}

}  // namespace warpfold::host
