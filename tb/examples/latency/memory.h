// SPDX-License-Identifier: Apache-2.0
// A memory of MEMORY_NS nanoseconds (100), for memory_plugin.cpp: a plug-in has no options, but an environment.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <string>

#include "latency_memory.h"

struct Memory {
  explicit Memory(unsigned slices) {
    const char* const said = std::getenv("MEMORY_NS");
    const sc_core::sc_time latency(said == nullptr ? 100 : std::strtod(said, nullptr), sc_core::SC_NS);
    for (unsigned n = 0; n < slices; ++n) {
      parts.emplace_back(("memory_" + std::to_string(n)).c_str(), latency, sc_core::sc_time(0.05, sc_core::SC_NS));
    }
  }
  static std::uint64_t bytes() { return std::uint64_t{1} << 48; }
  auto& socket(unsigned slice) { return parts[slice].socket; }
  static constexpr const char* kName = "a memory of a fixed latency";
  static std::string summary() { return ""; }
  std::deque<LatencyMemory> parts;
};
