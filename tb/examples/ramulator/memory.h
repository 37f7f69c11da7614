// SPDX-License-Identifier: Apache-2.0
// Ramulator 2 (https://github.com/CMU-SAFARI/ramulator2) behind the GPU: one memory system for all slices of the L2.
// With -D RAMULATOR=DIRECTORY of a checkout; without, a controller with the same rules takes its place.
#pragma once

#include <cstdint>
#include <string>

#include "ramulator_memory.h"

#ifndef WITH_RAMULATOR
#define WITH_RAMULATOR ""
#endif

struct Memory {
  explicit Memory(unsigned) : memory("ramulator", WITH_RAMULATOR) {}
  static std::uint64_t bytes() { return 1 << 30; }  // or more; an address costs the same wherever it lies
  auto& socket(unsigned) { return memory.socket; }
  static constexpr const char* kName = RamulatorLibrary::kName;
  std::string summary() {
    return "found its queue full: " + std::to_string(memory.withheld) + " requests\n" + memory.rows();
  }
  // Of the stand-in it is known that its queue is too short for this kernel.
  bool sound() const { return memory.withheld > 0 || *WITH_RAMULATOR != '\0'; }
  RamulatorMemory memory;
};
