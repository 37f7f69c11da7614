// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/record/activity.h"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "tb/cosim/build/rtl_model.h"
#include "tb/cosim/verilated/abi.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/input_file.h"

namespace warpfold::cosim {
namespace {

// A signal under one of its names.
struct Place {
  std::string instance, name;
  unsigned lowest = 0;  // index of its last bit
  bool indexed = false;
};

struct Signal {
  std::vector<Place> places;
  std::string value;  // as it is; bits from the highest down
  std::vector<std::uint64_t> transitions, time_at_one;
  std::uint64_t since = 0;

  void change(std::uint64_t now, const std::string& to) {
    if (value.empty()) {
      value = to;
      transitions.resize(to.size());
      time_at_one.resize(to.size());
    }
    for (std::size_t bit = 0; bit < value.size() && bit < to.size(); ++bit) {
      if (value[bit] == '1') time_at_one[bit] += now - since;
      transitions[bit] += value[bit] != to[bit];
    }
    value = to;
    since = now;
  }
};

class File {
 public:
  File(const std::string& path, const RtlRuntime& runtime) {
    check_regular_file(path, "waveform file");
    const RtlListener listener{[](void* self, const char* name) { of(self).scopes_.emplace_back(name); },
                               [](void* self) { of(self).scopes_.pop_back(); },
                               [](void* self, const char* name, unsigned number) { of(self).enter(name, number); },
                               [](void* self, std::uint64_t time, unsigned number, const char* value) {
                                 of(self).signals_[number].change(time, value);
                               },
                               this};
    if (!runtime.read_waves(path.c_str(), &listener, &end_)) {
      user_error("{}: not a waveform file (FST) that is finished", path);
    }
    for (auto& [number, signal] : signals_) signal.change(end_, signal.value);
  }

  std::map<std::string, BlockActivity> blocks() const {
    std::map<std::string, BlockActivity> blocks;
    for (const auto& [number, signal] : signals_) {
      for (const Place& place : signal.places) {
        // The clock rises and falls.
        if (place.name == "clk_i" && !signal.transitions.empty()) {
          BlockActivity& block = blocks[place.instance];
          block.clocks = (signal.transitions[0] + 1) / 2;
          block.duration_ps = end_;
        }
      }
    }
    for (const auto& [number, signal] : signals_) {
      for (const Place& place : signal.places) {
        const auto block = blocks.find(place.instance);
        if (block != blocks.end() && block->second.clocks != 0) add(block->second, place, signal);
      }
    }
    return blocks;
  }

 private:
  // Scopes are core, instance, module and what is in that; ports are signals of the instance and of the module.
  static constexpr std::size_t kModule = 3;

  static File& of(void* self) { return *static_cast<File*>(self); }

  void enter(const std::string& name, unsigned number) {  // "count_q [3:0]"
    if (scopes_.size() < kModule) return;
    Place place{scopes_[0] + "." + scopes_[1], "", 0, false};
    for (std::size_t i = kModule; i < scopes_.size(); ++i) place.name += scopes_[i] + ".";
    const std::size_t blank = name.find(' ');
    place.name += name.substr(0, blank);
    const std::size_t colon = name.rfind(':');
    place.indexed = blank != std::string::npos && name.find('[', blank) != std::string::npos;
    if (place.indexed && colon != std::string::npos) {
      place.lowest = static_cast<unsigned>(std::strtoul(name.c_str() + colon + 1, nullptr, 10));
    }
    signals_[number].places.push_back(std::move(place));
  }

  void add(BlockActivity& block, const Place& place, const Signal& signal) const {
    const std::size_t width = signal.transitions.size();
    for (std::size_t bit = 0; bit < width; ++bit) {
      const std::string name =
          place.indexed ? fmt::format("{}[{}]", place.name, place.lowest + (width - 1 - bit)) : place.name;
      block.bits[name] = {static_cast<double>(signal.transitions[bit]) / static_cast<double>(block.clocks),
                          end_ == 0 ? 0 : static_cast<double>(signal.time_at_one[bit]) / static_cast<double>(end_)};
    }
  }

  std::vector<std::string> scopes_;
  std::map<unsigned, Signal> signals_;
  std::uint64_t end_ = 0;
};

}  // namespace

std::map<std::string, BlockActivity> activity_in(const std::string& fst_file) {
  return activity_in(fst_file, rtl_runtime());
}

std::map<std::string, BlockActivity> activity_in(const std::string& fst_file, const RtlRuntime& runtime) {
  return File(fst_file, runtime).blocks();
}

BlockActivity mean_of(const std::map<std::string, BlockActivity>& instances) {
  BlockActivity mean;
  for (const auto& [name, block] : instances) mean.clocks += block.clocks;
  for (const auto& [name, block] : instances) {
    const double weight = static_cast<double>(block.clocks) / static_cast<double>(mean.clocks);
    for (const auto& [bit, activity] : block.bits) {
      mean.bits[bit].transitions += weight * activity.transitions;
      mean.bits[bit].ones += weight * activity.ones;
    }
  }
  return mean;
}

std::string text_of(const BlockActivity& activity) {
  std::string text;
  for (const auto& [name, bit] : activity.bits) {
    text += fmt::format("{} {:.6g} {:.6g}\n", name, bit.transitions, bit.ones);
  }
  return text;
}

}  // namespace warpfold::cosim
