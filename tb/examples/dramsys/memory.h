// SPDX-License-Identifier: Apache-2.0
// DRAMSys (https://github.com/tukl-msd/DRAMSys) behind the GPU: one memory system for all slices of the L2. With
// -D DRAMSYS=DIRECTORY of a checkout; without, a memory with the same rules takes its place.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <string>
#include <systemc>

#ifdef WITH_DRAMSYS
#if __has_include(<DRAMSys/DRAMSys.h>)
#include <DRAMSys/DRAMSys.h>
#include <DRAMSys/configuration/json/DRAMSysConfiguration.h>
#else  // up to 5.1
#include <DRAMSys/config/DRAMSysConfiguration.h>
#include <DRAMSys/simulation/DRAMSys.h>
#endif
#endif

#include "queued_memory.h"

#ifdef WITH_DRAMSYS
inline DRAMSys::Config::Configuration configuration() {
  auto config = DRAMSys::Config::from_path(WITH_DRAMSYS "/configs/ddr4-example.json");
  config.simconfig.DatabaseRecording = std::getenv("DRAMSYS_DATABASE") != nullptr;  // into the working directory
  config.simconfig.SimulationProgressBar = false;
  return config;
}

struct Memory {
  explicit Memory(unsigned) : dramsys("dramsys", configuration()) {}
  std::uint64_t bytes() const { return dramsys.getMemSpec().getSimMemSizeInBytes(); }
  auto& socket(unsigned) { return dramsys.tSocket; }
  static constexpr const char* kName = "DRAMSys";
  // Its rows are in its database, which is written when the simulation stops (docs/embedding.md).
  static std::string summary() {
    if (std::getenv("DRAMSYS_DATABASE") != nullptr) sc_core::sc_stop();
    return "";
  }
  static bool sound() { return true; }
  DRAMSys::DRAMSys dramsys;
};
#else
struct Memory {
  explicit Memory(unsigned slices) {
    for (unsigned n = 0; n < slices; ++n) parts.emplace_back(("memory_" + std::to_string(n)).c_str());
  }
  static std::uint64_t bytes() { return 1 << 30; }
  auto& socket(unsigned slice) { return parts[slice].socket; }
  static constexpr const char* kName = "a memory with DRAMSys' rules";
  unsigned withheld() const {
    unsigned sum = 0;
    for (const QueuedMemory& part : parts) sum += part.withheld;
    return sum;
  }
  std::string summary() const { return "found its queue full: " + std::to_string(withheld()) + " requests\n"; }
  bool sound() const { return withheld() > 0; }
  std::deque<QueuedMemory> parts;
};
#endif
