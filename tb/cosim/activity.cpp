// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/activity.h"

#include <fmt/format.h>
#include <gtkwave/fstapi.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "warpfold/common/error.h"

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
  explicit File(const std::string& path) : reader_(fstReaderOpen(path.c_str()), fstReaderClose) {
    if (reader_ == nullptr) user_error("{}: not a waveform file (FST) that is finished", path);
    while (const fstHier* const hier = fstReaderIterateHier(reader_.get())) enter(*hier);
    fstReaderSetFacProcessMaskAll(reader_.get());
    fstReaderIterBlocks(reader_.get(), &File::on_change, this, nullptr);
    const std::uint64_t end = fstReaderGetEndTime(reader_.get());
    for (auto& [handle, signal] : signals_) signal.change(end, signal.value);
    end_ = end;
  }

  std::map<std::string, BlockActivity> blocks() const {
    std::map<std::string, BlockActivity> blocks;
    for (const auto& [handle, signal] : signals_) {
      for (const Place& place : signal.places) {
        // The clock rises and falls.
        if (place.name == "clk_i" && !signal.transitions.empty()) {
          blocks[place.instance].clocks = (signal.transitions[0] + 1) / 2;
        }
      }
    }
    for (const auto& [handle, signal] : signals_) {
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

  void enter(const fstHier& hier) {
    if (hier.htyp == FST_HT_SCOPE) scopes_.emplace_back(hier.u.scope.name);
    if (hier.htyp == FST_HT_UPSCOPE) scopes_.pop_back();
    if (hier.htyp != FST_HT_VAR || scopes_.size() < kModule) return;
    Place place{scopes_[0] + "." + scopes_[1], "", 0, false};
    for (std::size_t i = kModule; i < scopes_.size(); ++i) place.name += scopes_[i] + ".";
    const std::string name = hier.u.var.name;  // "count_q [3:0]"
    const std::size_t blank = name.find(' ');
    place.name += name.substr(0, blank);
    const std::size_t colon = name.rfind(':');
    place.indexed = blank != std::string::npos && name.find('[', blank) != std::string::npos;
    if (place.indexed && colon != std::string::npos) {
      place.lowest = static_cast<unsigned>(std::strtoul(name.c_str() + colon + 1, nullptr, 10));
    }
    signals_[hier.u.var.handle].places.push_back(std::move(place));
  }

  static void on_change(void* self, std::uint64_t time, fstHandle handle, const unsigned char* value) {
    static_cast<File*>(self)->signals_[handle].change(time, reinterpret_cast<const char*>(value));
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

  std::unique_ptr<void, void (*)(void*)> reader_;
  std::vector<std::string> scopes_;
  std::map<fstHandle, Signal> signals_;
  std::uint64_t end_ = 0;
};

}  // namespace

std::map<std::string, BlockActivity> activity_in(const std::string& fst_file) { return File(fst_file).blocks(); }

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
