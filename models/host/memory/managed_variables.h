// SPDX-License-Identifier: Apache-2.0
// __managed__ variables: the program's own bytes, lent to the device, which knows them by another address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "warpfold/common/memory/device_memory.h"

namespace warpfold::host {

class ManagedVariables {
 public:
  void add(std::size_t module, std::string name, void* host, std::uint64_t bytes);
  bool any() const { return !variables_.empty(); }
  bool any_of(std::size_t module) const;

  // Those of some modules, lent: the device's addresses by the names that device code has for them.
  std::map<std::string, Address, std::less<>> lend(DeviceMemory& memory,
                                                   const std::function<bool(std::size_t module)>& wanted);
  // All have been taken back.
  void forget_addresses();
  // The device's address of a byte of a lent variable; any other address as it is.
  Address on_device(Address at) const;
  const void* on_device(const void* pointer) const;

 private:
  struct Variable {
    std::size_t module = 0;
    std::string name;
    std::uint64_t bytes = 0;
    Address device = 0;  // 0: not lent
  };
  std::map<Address, Variable> variables_;  // by the host's address
};

}  // namespace warpfold::host
