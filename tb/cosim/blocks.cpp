// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/blocks.h"

#include <algorithm>
#include <bit>
#include <regex>

#include "tb/cosim/block_ports.h"
#include "tb/cosim/build/design_files.h"
#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/cache.h"

namespace warpfold::cosim {
namespace {

const std::vector<RtlBlock> kBlocks = {
    {"compactor",
     "thread_compactor",
     "models/compaction/thread_compactor.h",
     {{"Lanes", 32}, {"Rows", 32}, {"Stages", 1}},
     compactor_ports},
    {"adequacy",
     "adequacy_unit",
     "models/divergence/parts/block/adequacy.h",
     {{"Lanes", 32}, {"Rows", 8}},
     adequacy_ports},
    {"sorter",
     "context_sorter",
     "models/divergence/parts/warp/context_sorter.h",
     {{"Lanes", 32}, {"PcWidth", 16}, {"DepthWidth", 8}},
     sorter_ports},
    {"swizzle",
     "swizzle_control",
     "models/divergence/packing/scc.h",
     {{"Lanes", 16}, {"Width", 4}, {"Swizzle", 1}},
     swizzle_ports},
    {"operand-crossbar",
     "swizzle_crossbar",
     "models/divergence/packing/scc.h",
     {{"Lanes", 16}, {"Width", 4}, {"DataBits", 32}},
     operand_crossbar_ports},
    {"result-crossbar",
     "unswizzle_crossbar",
     "models/divergence/packing/scc.h",
     {{"Lanes", 16}, {"Width", 4}, {"DataBits", 32}},
     result_crossbar_ports},
    {"stack",
     "block_stack",
     "models/divergence/parts/block/block_stack.h",
     {{"Lanes", 32}, {"Rows", 8}, {"Depth", 32}, {"PcWidth", 16}, {"Stages", 1}},
     stack_ports},
    {"barriers",
     "barrier_table",
     "models/divergence/parts/harp/harp_barriers.h",
     {{"Lanes", 32}, {"Entries", 16}, {"Ways", 4}, {"Schedulers", 1}, {"Rows", 32}, {"PcWidth", 16}, {"Stages", 1}},
     barrier_ports},
    {"pool",
     "warp_pool",
     "models/divergence/parts/warp_pool.h",
     {{"Lanes", 32}, {"Entries", 256}, {"Slots", 1024}, {"Threads", 1024}, {"PcWidth", 16}},
     pool_ports},
    {"packer",
     "thread_compactor",
     "models/divergence/parts/block/compact_step.h",
     {{"Lanes", 32}, {"Rows", 4}},
     compactor_ports},
    {"ready",
     "ready_lookup",
     "models/divergence/parts/harp/harp_lookup.h",
     {{"Lanes", 16}, {"Entries", 8}, {"Rows", 48}, {"PcWidth", 16}},
     ready_ports},
    {"waiting",
     "waiting_lookup",
     "models/divergence/parts/harp/harp_lookup.h",
     {{"Lanes", 16}, {"Entries", 8}, {"Rows", 48}, {"PcWidth", 16}},
     waiting_ports},
    {"warp-stack",
     "warp_stack",
     "models/divergence/parts/warp/warp_stack.h",
     {{"Warps", 32}, {"Lanes", 32}, {"Depth", 32}, {"PcWidth", 16}, {"Likely", 0}},
     warp_stack_ports},
    {"token-stack",
     "token_stack",
     "models/divergence/parts/warp/warp_tokens.h",
     {{"Warps", 32}, {"Lanes", 32}, {"Entries", 16}, {"Chunk", 4}, {"Chunks", 64}, {"PcWidth", 16}},
     token_stack_ports},
    {"predictor",
     "wct_predictor",
     "models/divergence/parts/block/wct_predictor.h",
     {{"Entries", 256}, {"PcWidth", 16}},
     predictor_ports},
    {"ignore-list",
     "ignore_list",
     "models/divergence/parts/slices/ignore_list.h",
     {{"Entries", 32}, {"PcWidth", 16}},
     ignore_list_ports},
    {"split-table",
     "split_table",
     "models/divergence/mechanisms/dws.cpp",
     {{"Lanes", 32}, {"Entries", 16}, {"Rows", 32}, {"PcWidth", 16}, {"PointWidth", 6}},
     split_table_ports},
    {"pool-table",
     "pool_table",
     "models/divergence/mechanisms/stc.cpp",
     {{"Lanes", 32},
      {"Rows", 32},
      {"Pools", 16},
      {"Groups", 1},
      {"PcWidth", 16},
      {"AgeWidth", 16},
      {"LongestWait", 4096}},
     pool_table_ports},
    {"mask-fit",
     "mask_fit_picker",
     "models/divergence/parts/warp/mask_fit.h",
     {{"Lanes", 32}, {"Warps", 32}, {"Sets", 1}},
     mask_fit_ports},
    {"registers",
     "lane_register_access",
     "models/core/operands/register_banks.h",
     {{"Lanes", 16}, {"Banks", 4}, {"Operands", 3}, {"Rows", 48}, {"Words", 128}, {"ByRow", 1}},
     register_ports},
};

// A design of the user's may do without some parameters, such as Stages.
void drop_unknown(const std::vector<std::string>& files, const std::string& top, RtlParameters& parameters) {
  std::string text;
  for (const std::string& file : files) text += read_text(file).value_or("");
  std::smatch module;
  if (!std::regex_search(text, module, std::regex("\\b(module|entity)\\s+" + top + "\\b"))) return;  // it will be told
  text = module.suffix().str();
  text.resize(std::min(text.size(), text.find("endmodule")));
  std::erase_if(parameters, [&](const auto& parameter) {
    return !std::regex_search(text, std::regex("\\b" + parameter.first + "\\b"));
  });
}

}  // namespace

const std::vector<RtlBlock>& rtl_blocks() { return kBlocks; }

const RtlBlock& rtl_block(std::string_view name) {
  std::vector<std::string> names;
  for (const RtlBlock& block : kBlocks) {
    if (block.name == name) return block;
    names.push_back(block.name);
  }
  user_error("--rtl: there is no block '{}': {}", name, suggestion(name, names));
}

RtlSource rtl_source(std::string_view name, const RtlParameters& parameters, const std::vector<std::string>& files) {
  const RtlBlock& block = rtl_block(name);
  RtlSource source;
  source.block = block.name;
  source.top = block.top;
  source.files = {WARPFOLD_SOURCE_DIRECTORY "/rtl/common/simt_pkg.sv"};
  add_design(source, files);
  if (files.empty()) source.files.push_back(fmt::format("{}/rtl/{}.sv", WARPFOLD_SOURCE_DIRECTORY, block.top));
  source.parameters = block.parameters;
  for (const auto& [key, value] : parameters) {
    const auto known = std::find_if(source.parameters.begin(), source.parameters.end(),
                                    [&, &wanted = key](const auto& entry) { return entry.first == wanted; });
    check(known != source.parameters.end(), "an RTL block is given a parameter that it does not have");
    known->second = value;
  }
  source.ports = block.ports(source.parameters);
  if (!files.empty()) drop_unknown(files, source.top, source.parameters);
  return source;
}

RtlSource rtl_source(std::string_view name, const RtlParameters& parameters, const std::string& file) {
  return rtl_source(name, parameters, file.empty() ? std::vector<std::string>{} : std::vector{file});
}

unsigned index_width(unsigned n) { return n > 1 ? static_cast<unsigned>(std::bit_width(n - 1)) : 1; }

}  // namespace warpfold::cosim
