// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/hung_block.h"

#include <algorithm>
#include <sstream>

#include "tb/cosim/build/design_files.h"
#include "warpfold/common/config/config.h"
#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"

namespace warpfold::cosim {
namespace {

constexpr const char* kPrefix = "observer:";

unsigned number(const ConfigNode& node) {
  const std::string& text = node.scalar();
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos) {
    node.reject("must be a number");
  }
  return static_cast<unsigned>(std::stoul(text));
}

CoreSignal signal_of(const ConfigNode& node) {
  const auto& all = core_signals();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const CoreSignalInfo& info) { return info.name == node.scalar(); });
  if (found == all.end()) {
    std::vector<std::string> names;
    for (const CoreSignalInfo& info : all) names.emplace_back(info.name);
    node.reject("a core has no such signal; " + suggestion(node.scalar(), names));
  }
  return static_cast<CoreSignal>(found - all.begin());
}

std::string module_in(const std::string& ports) {
  const ConfigNode list = ConfigNode::from_file(ports);
  list.only({"module", "parameters", "inputs"});
  const std::string& module = list.value("module").scalar();
  const char* const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  if (module.empty() || module.find_first_not_of(letters) != std::string::npos) {
    list.value("module").reject("must be the name of a module");
  }
  return module;
}

}  // namespace

const std::array<CoreSignalInfo, static_cast<std::size_t>(CoreSignal::kCount)>& core_signals() {
  static constexpr std::array<CoreSignalInfo, static_cast<std::size_t>(CoreSignal::kCount)> all{{
      {"cycle", 64},
      {"issue", 1},
      {"issue_warp", 16},
      {"issue_scheduler", 8},
      {"issue_pc", 32},
      {"issue_mask", 0},
      {"issue_executed", 0},
      {"issue_row", 16},
      {"issue_one_row", 1},
      {"branch", 1},
      {"branch_taken", 0},
      {"branch_target", 32},
      {"branch_reconvergence", 32},
      {"access", 1},
      {"access_store", 1},
      {"access_address", 64},
      {"access_bytes", 32},
      {"completed", 1},
      {"completed_warp", 16},
      {"completed_pc", 32},
      {"request", 1},
      {"request_write", 1},
      {"request_address", 64},
      {"request_bytes", 32},
      {"answer", 1},
      {"answer_address", 64},
      {"insert", 1},
      {"insert_warp", 16},
      {"insert_pc", 32},
      {"insert_mask", 0},
      {"remove", 1},
      {"remove_warp", 16},
      {"compact", 1},
      {"compact_block", 32},
      {"compact_pc", 32},
      {"compacted", 1},
      {"compacted_mask", 0},
      {"compacted_last", 1},
      {"barrier", 1},
      {"barrier_warp", 16},
      {"barrier_open", 1},
  }};
  return all;
}

std::string hung_blocks_text(const std::string& option) {
  std::istringstream words(option);
  std::string text;
  for (std::string word; words >> word;) {
    const std::size_t colon = word.rfind(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == word.size()) {
      user_error("--rtl-block {}: must be files and a list of ports, such as my.sv:ports.yaml", word);
    }
    const std::string ports = word.substr(colon + 1);
    if (!ports.ends_with(".yaml")) user_error("--rtl-block {}: the list of ports must be a .yaml file", word);
    text +=
        fmt::format("{}{}{}={},{}", text.empty() ? "" : ",", kPrefix, module_in(ports), word.substr(0, colon), ports);
  }
  return text;
}

bool is_hung(std::string_view name) { return name.starts_with(kPrefix); }

HungBlock hung_block(const RtlOptions::Block& block, unsigned lanes) {
  const std::string& ports = block.files.back();
  const std::string module = module_in(ports);
  const ConfigNode list = ConfigNode::from_file(ports);
  HungBlock hung{block.name, {}, {}};
  hung.source.block = module;
  hung.source.top = module;
  hung.source.files = {WARPFOLD_SOURCE_DIRECTORY "/rtl/common/simt_pkg.sv"};
  add_design(hung.source, {block.files.begin(), block.files.end() - 1});
  if (list.find("parameters") != nullptr) {
    for (const auto& [name, value] : list.table("parameters").children()) {
      hung.source.parameters.emplace_back(name, number(value));
    }
  }
  hung.source.ports = {{"clk_i"}, {"rst_ni"}};
  for (const auto& [port, node] : list.table("inputs").children()) {
    const CoreSignal signal = signal_of(node);
    const unsigned bits = core_signals()[static_cast<std::size_t>(signal)].bits;
    hung.source.ports.push_back({port, bits != 0 ? bits : lanes});
    hung.inputs.emplace_back(port, signal);
  }
  return hung;
}

}  // namespace warpfold::cosim
