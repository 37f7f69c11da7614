// SPDX-License-Identifier: Apache-2.0
// What ramulator_memory.h calls of Ramulator: 2.1, or 2.0, whose headers lie elsewhere and whose requests have no size.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <sstream>
#include <string>

#if __has_include(<ramulator/base/config.h>)
#define RAMULATOR_2_1
#include <ramulator/base/base.h>
#include <ramulator/base/config.h>
#include <ramulator/frontend/i_frontend.h>
#include <ramulator/memory_system/i_memory_system.h>
#else
#include <base/base.h>
#include <base/config.h>
#include <dram/dram.h>
#include <frontend/frontend.h>
#include <memory_system/memory_system.h>
#endif

class RamulatorLibrary {
 public:
  static constexpr const char* kName = "Ramulator 2";

  explicit RamulatorLibrary(const std::string& configuration) {
#ifdef RAMULATOR_2_1
    const auto config = Ramulator::Config::parse_config_file(configuration);
#else
    const auto config = Ramulator::Config::parse_config_file(configuration, {});
#endif
    frontend_.reset(Ramulator::Factory::create_frontend(config));
    memory_.reset(Ramulator::Factory::create_memory_system(config));
    frontend_->connect_memory_system(memory_.get());
    memory_->connect_frontend(frontend_.get());
#ifdef RAMULATOR_2_1
    bytes_ = memory_->get_tx_bytes();
#else
    const auto& dram = *memory_->get_ifce<Ramulator::IDRAM>();
    bytes_ = dram.m_internal_prefetch_size * dram.m_channel_width / 8;
#endif
  }

  // Of a transaction, and of a cycle. Ramulator's own number is a float of nanoseconds.
  std::uint64_t bytes() const { return bytes_; }
  double clock_ps() const { return std::round(memory_->get_tCK() * 1000.0); }

  // False: the queue is full. Calls `done` from within tick() when a read's data has come.
  bool send(bool write, std::uint64_t address, const std::function<void()>& done) {
    using Ramulator::Request;
    std::function<void(Request&)> callback;
    if (done) callback = [done](Request&) { done(); };
    const int type = write ? Request::Type::Write : Request::Type::Read;
    const auto at = static_cast<Ramulator::Addr_t>(address);
#ifdef RAMULATOR_2_1
    return frontend_->receive_external_requests(type, at, 0, callback, static_cast<int>(bytes_));
#else
    return frontend_->receive_external_requests(type, at, 0, callback);
#endif
  }
  void tick() { memory_->tick(); }

  // Sums over the channels.
  std::string rows() {
    std::string line = "rows:";
    for (const char* const counter : {"hits", "misses", "conflicts"}) {
      line += std::string(" ") + counter + " " + std::to_string(sum(std::string("row_") + counter));
    }
    return line + "\n";
  }

 private:
  // Both versions write their statistics as YAML, in which a counter is a line: "row_hits: 7", "row_hits_0: 7".
  std::uint64_t sum(const std::string& counter) {
#ifdef RAMULATOR_2_1
    std::stringstream text;
    memory_->print_stats(text);
#else
    YAML::Emitter emitter;
    emitter << YAML::BeginMap;
    memory_->m_impl->print_stats(emitter);
    emitter << YAML::EndMap;
    std::stringstream text(emitter.c_str());
#endif
    std::uint64_t sum = 0;
    for (std::string key, value; text >> key;) {
      if (key.starts_with(counter) && key.ends_with(':') && text >> value) sum += std::stoull(value);
    }
    return sum;
  }

  std::unique_ptr<Ramulator::IFrontEnd> frontend_;
  std::unique_ptr<Ramulator::IMemorySystem> memory_;
  std::uint64_t bytes_ = 0;
};
