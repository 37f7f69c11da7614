// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/block_ports.h"

#include <fmt/format.h>

#include "tb/cosim/blocks.h"
#include "warpfold/common/error.h"

namespace warpfold::cosim {
namespace {

unsigned value_of(const RtlParameters& parameters, std::string_view name) {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  throw InternalError(fmt::format("no RTL parameter {}", name));
}

// The ports of a block, after the clock and the reset that all have.
class Ports {
 public:
  Ports& in(std::string name, unsigned bits = 1) { return add({std::move(name), bits, false}); }
  Ports& out(std::string name, unsigned bits = 1) { return add({std::move(name), bits, true}); }
  // Of operations of these kinds, by the module's numbers.
  Ports& out_of(std::initializer_list<unsigned> kinds, std::string name, unsigned bits = 1) {
    RtlPort port{std::move(name), bits, true, 0};
    for (const unsigned kind : kinds) port.kinds |= 1U << kind;
    return add(std::move(port));
  }
  operator std::vector<RtlPort>() const { return list_; }

 private:
  Ports& add(RtlPort port) {
    list_.push_back(std::move(port));
    return *this;
  }
  std::vector<RtlPort> list_ = {{"clk_i"}, {"rst_ni"}};
};

}  // namespace

std::vector<RtlPort> compactor_ports(const RtlParameters& parameters) {
  const unsigned lanes = value_of(parameters, "Lanes"), rows = value_of(parameters, "Rows");
  return Ports()
      .in("req_valid_i")
      .out("req_ready_o")
      .in("req_regroup_i")
      .in("req_threads_i", rows * lanes)
      .out("warp_valid_o")
      .in("warp_ready_i")
      .out("warp_mask_o", lanes)
      .out("warp_row_o", lanes * index_width(rows))
      .out("warp_last_o");
}

std::vector<RtlPort> adequacy_ports(const RtlParameters& parameters) {
  const unsigned lanes = value_of(parameters, "Lanes"), rows = value_of(parameters, "Rows");
  const unsigned count = index_width(rows + 1);
  return Ports()
      .in("op_valid_i")
      .out("op_ready_o")
      .in("op_kind_i", 2)
      .in("op_stage_i", 2)
      .in("op_threads_i", rows * lanes)
      .in("op_warps_i", count)
      .in("op_n_i", count)
      .in("op_t_wct_i", count)
      .in("op_literal_i")
      .out("res_valid_o")
      .in("res_ready_i")
      .out("res_count_o", count)
      .out("res_adequate_o")
      .out("res_stage_o", 2);
}

std::vector<RtlPort> sorter_ports(const RtlParameters& parameters) {
  constexpr unsigned kContexts = 3;
  const unsigned masks = kContexts * value_of(parameters, "Lanes"), pcs = kContexts * value_of(parameters, "PcWidth"),
                 depths = kContexts * value_of(parameters, "DepthWidth");
  return Ports()
      .in("op_valid_i")
      .out("op_ready_o")
      .in("op_mask_i", masks)
      .in("op_pc_i", pcs)
      .in("op_depth_i", depths)
      .out("res_valid_o")
      .in("res_ready_i")
      .out("res_mask_o", masks)
      .out("res_pc_o", pcs)
      .out("res_depth_o", depths);
}

std::vector<RtlPort> swizzle_ports(const RtlParameters& parameters) {
  const unsigned lanes = value_of(parameters, "Lanes"), width = value_of(parameters, "Width");
  return Ports()
      .in("mask_valid_i")
      .out("mask_ready_o")
      .in("mask_i", lanes)
      .out("set_valid_o")
      .in("set_ready_i")
      .out("set_last_o")
      .out("set_enable_o", width)
      .out("set_quad_o", width * index_width(lanes / width))
      .out("set_lane_o", width * index_width(width));
}

// Of both crossbars: the settings, then what goes in and what comes out.
static Ports crossbar_ports(const RtlParameters& parameters) {
  const unsigned lanes = value_of(parameters, "Lanes"), width = value_of(parameters, "Width");
  return Ports()
      .in("set_enable_i", width)
      .in("set_quad_i", width * index_width(lanes / width))
      .in("set_lane_i", width * index_width(width));
}

std::vector<RtlPort> operand_crossbar_ports(const RtlParameters& parameters) {
  const unsigned bits = value_of(parameters, "DataBits");
  return crossbar_ports(parameters)
      .in("data_valid_i")
      .in("data_i", value_of(parameters, "Lanes") * bits)
      .out("alu_data_o", value_of(parameters, "Width") * bits);
}

std::vector<RtlPort> result_crossbar_ports(const RtlParameters& parameters) {
  const unsigned lanes = value_of(parameters, "Lanes"), bits = value_of(parameters, "DataBits");
  return crossbar_ports(parameters)
      .in("alu_data_i", value_of(parameters, "Width") * bits)
      .out("write_enable_o", lanes)
      .out("write_data_o", lanes * bits);
}

std::vector<RtlPort> stack_ports(const RtlParameters& parameters) {
  const unsigned lanes = value_of(parameters, "Lanes"), rows = value_of(parameters, "Rows");
  const unsigned depth = value_of(parameters, "Depth"), pc = value_of(parameters, "PcWidth");
  return Ports()
      .in("op_valid_i")
      .out("op_ready_o")
      .in("op_kind_i", 3)
      .in("op_threads_i", rows * lanes)
      .in("op_fall_i", rows * lanes)
      .in("op_pc_i", pc)
      .in("op_target_i", pc)
      .in("op_rpc_i", pc)
      .in("op_likely_valid_i")
      .in("op_likely_i", pc)
      .in("op_emptied_i")
      .in("op_taken_first_i")
      .in("op_regroup_i")
      .out("done_valid_o")
      .out("top_pc_o", pc)
      .out("top_rpc_o", pc)
      .out("top_lpc_valid_o")
      .out("top_lpc_o", pc)
      .out("top_warps_o", index_width(rows + 1))
      .out("top_threads_o", rows * lanes)
      .out("depth_o", index_width(depth + 1))
      .out("filling_o")
      .out("settled_o")
      .out("empty_o")
      .out("overflow_o");
}

std::vector<RtlPort> barrier_ports(const RtlParameters& parameters) {
  const unsigned lanes = value_of(parameters, "Lanes"), row = index_width(value_of(parameters, "Rows"));
  const unsigned entries = value_of(parameters, "Entries"), ways = value_of(parameters, "Ways");
  const unsigned pc = value_of(parameters, "PcWidth");
  return Ports()
      .in("op_valid_i")
      .out("op_ready_o")
      .in("op_kind_i", 3)
      .in("op_mask_i", lanes)
      .in("op_row_i", lanes * row)
      .in("op_pc_i", pc)
      .in("op_all_or_none_i")
      .out("done_valid_o")
      .out_of({0, 3}, "res_lanes_o", lanes)
      .out_of({0, 2}, "res_count_o", index_width(lanes * ways + 1))
      .out("complete_o")
      .out("used_o", index_width(entries + 1))
      .out_of({4}, "warp_mask_o", lanes)
      .out_of({4}, "warp_row_o", lanes * row)
      .out_of({4}, "warp_pc_o", pc);
}

std::vector<RtlPort> pool_ports(const RtlParameters& parameters) {
  const unsigned lanes = value_of(parameters, "Lanes"), entries = value_of(parameters, "Entries");
  const unsigned entry = index_width(entries), slot = index_width(value_of(parameters, "Slots"));
  return Ports()
      .in("op_valid_i")
      .out("op_ready_o")
      .in("op_kind_i", 2)
      .in("op_mask_i", lanes)
      .in("op_slot_i", slot)
      .in("op_pc_i", value_of(parameters, "PcWidth"))
      .in("op_hit_i")
      .in("op_entry_i", entry)
      .in("op_closed_i")
      .in("op_ready_i", entries)
      .out("done_valid_o")
      .out_of({0}, "res_join_o", lanes)
      .out_of({0}, "res_slot_o", slot)
      .out_of({0}, "res_alone_o")
      .out_of({0, 2}, "res_entry_o", entry)
      .out_of({2}, "res_found_o")
      .out_of({1}, "res_freed_o");
}

std::vector<RtlPort> ready_ports(const RtlParameters& parameters) {
  const unsigned lanes = value_of(parameters, "Lanes"), rows = lanes * index_width(value_of(parameters, "Rows"));
  const unsigned pc = value_of(parameters, "PcWidth");
  return Ports()
      .in("op_valid_i")
      .out("op_ready_o")
      .in("op_kind_i")
      .in("op_mask_i", 2 * lanes)
      .in("op_pc_i", 2 * pc)
      .in("op_row_i", rows)
      .out("done_valid_o")
      .out_of({0}, "res_left_o", lanes)
      .out("used_o", index_width(value_of(parameters, "Entries") + 1))
      .out("warp_mask_o", lanes)
      .out("warp_row_o", rows)
      .out("warp_pc_o", pc);
}

std::vector<RtlPort> waiting_ports(const RtlParameters& parameters) {
  const unsigned lanes = value_of(parameters, "Lanes"), rows = lanes * index_width(value_of(parameters, "Rows"));
  const unsigned entries = value_of(parameters, "Entries"), pc = value_of(parameters, "PcWidth");
  return Ports()
      .in("op_valid_i")
      .out("op_ready_o")
      .in("op_kind_i")
      .in("op_mask_i", lanes)
      .in("op_row_i", rows)
      .in("op_pc_i", pc)
      .in("op_entry_i", index_width(entries))
      .out("done_valid_o")
      .out_of({0}, "res_merged_o")
      .out_of({0}, "res_full_o")
      .out_of({0}, "res_entry_o", index_width(entries))
      .out_of({1}, "res_last_o")
      .out("used_o", index_width(entries + 1))
      .out_of({1}, "warp_mask_o", lanes)
      .out_of({1}, "warp_row_o", rows)
      .out_of({1}, "warp_pc_o", pc);
}

std::vector<RtlPort> warp_stack_ports(const RtlParameters& parameters) {
  const unsigned lanes = value_of(parameters, "Lanes"), pc = value_of(parameters, "PcWidth");
  return Ports()
      .in("op_valid_i")
      .out("op_ready_o")
      .in("op_kind_i", 2)
      .in("op_warp_i", index_width(value_of(parameters, "Warps")))
      .in("op_lanes_i", lanes)
      .in("op_pc_i", pc)
      .in("op_target_i", pc)
      .in("op_rpc_i", pc)
      .in("op_likely_valid_i")
      .in("op_likely_i", pc)
      .in("op_taken_first_i")
      .out("done_valid_o")
      .out("warp_pc_o", pc)
      .out("warp_mask_o", lanes)
      .out("depth_o", index_width(value_of(parameters, "Depth") + 1))
      .out("overflow_o");
}

std::vector<RtlPort> token_stack_ports(const RtlParameters& parameters) {
  const unsigned lanes = value_of(parameters, "Lanes"), pc = value_of(parameters, "PcWidth");
  const unsigned warp = index_width(value_of(parameters, "Warps"));
  const unsigned chunks = index_width(value_of(parameters, "Chunks") + 1);
  return Ports()
      .in("op_valid_i")
      .out("op_ready_o")
      .in("op_kind_i", 3)
      .in("op_warp_i", warp)
      .in("op_active_i", lanes)
      .in("op_lanes_i", lanes)
      .in("op_pc_i", pc)
      .in("op_target_i", pc)
      .out("done_valid_o")
      .out("warp_pc_o", pc)
      .out("warp_mask_o", lanes)
      .out_of({3}, "sync_o")
      .out("count_o", index_width(value_of(parameters, "Entries") + 1))
      .out("chunks_o", chunks)
      .out("overflow_o")
      .out("mem_valid_o")
      .in("mem_ready_i")
      .out("mem_write_o")
      .out("mem_warp_o", warp)
      .out("mem_chunk_o", chunks)
      .out("mem_token_o", index_width(value_of(parameters, "Chunk")))
      .out("mem_data_o", 1 + pc + lanes)
      .in("mem_data_i", 1 + pc + lanes);
}

std::vector<RtlPort> predictor_ports(const RtlParameters& parameters) {
  return Ports()
      .in("op_valid_i")
      .out("op_ready_o")
      .in("op_kind_i", 2)
      .in("op_pc_i", value_of(parameters, "PcWidth"))
      .in("op_adequate_i")
      .out("done_valid_o")
      .out_of({1}, "adequate_o");
}

std::vector<RtlPort> ignore_list_ports(const RtlParameters& parameters) {
  return Ports()
      .in("op_valid_i")
      .out("op_ready_o")
      .in("op_kind_i", 2)
      .in("op_pc_i", value_of(parameters, "PcWidth"))
      .out("done_valid_o")
      .out("ignored_o");
}

std::vector<RtlPort> split_table_ports(const RtlParameters& parameters) {
  const unsigned lanes = value_of(parameters, "Lanes"), entries = value_of(parameters, "Entries");
  return Ports()
      .in("op_valid_i")
      .out("op_ready_o")
      .in("op_kind_i", 3)
      .in("op_row_i", index_width(value_of(parameters, "Rows")))
      .in("op_entry_i", index_width(entries))
      .in("op_own_i")
      .in("op_pc_i", value_of(parameters, "PcWidth"))
      .in("op_point_i", value_of(parameters, "PointWidth"))
      .in("op_mask_i", lanes)
      .in("op_stands_i")
      .out("done_valid_o")
      .out("res_ok_o")
      .out("res_entry_o", index_width(entries))
      .out("res_mask_o", lanes)
      .out("res_left_o", index_width(entries + 1))
      .out("used_o", index_width(entries + 1));
}

std::vector<RtlPort> pool_table_ports(const RtlParameters& parameters) {
  const unsigned lanes = value_of(parameters, "Lanes"), pools = value_of(parameters, "Pools");
  return Ports()
      .in("op_valid_i")
      .out("op_ready_o")
      .in("op_kind_i", 2)
      .in("op_mask_i", lanes)
      .in("op_row_i", lanes * index_width(value_of(parameters, "Rows")))
      .in("op_pc_i", value_of(parameters, "PcWidth"))
      .in("op_group_i", index_width(value_of(parameters, "Groups")))
      .in("op_pool_i", index_width(pools))
      .in("op_among_i", pools)
      .in("op_by_age_i")
      .in("op_now_i", value_of(parameters, "AgeWidth"))
      .out("done_valid_o")
      .out("res_ok_o")
      .out("res_pool_o", index_width(pools))
      .out("res_full_o")
      .out("used_o", index_width(pools + 1));
}

std::vector<RtlPort> mask_fit_ports(const RtlParameters& parameters) {
  const unsigned lanes = value_of(parameters, "Lanes"), warps = value_of(parameters, "Warps");
  return Ports()
      .in("op_valid_i")
      .out("op_ready_o")
      .in("op_ready_i", warps)
      .in("op_masks_i", warps * lanes)
      .in("op_taken_i", lanes)
      .in("op_set_i", index_width(value_of(parameters, "Sets")))
      .out("done_valid_o")
      .out("res_found_o")
      .out("res_warp_o", index_width(warps));
}

std::vector<RtlPort> register_ports(const RtlParameters& parameters) {
  const unsigned lanes = value_of(parameters, "Lanes"), operands = value_of(parameters, "Operands");
  const unsigned banks = value_of(parameters, "Banks"), address = index_width(value_of(parameters, "Words"));
  return Ports()
      .in("row_words_i", address)
      .in("op_valid_i")
      .out("op_ready_o")
      .in("op_mask_i", lanes)
      .in("op_row_i", lanes * index_width(value_of(parameters, "Rows")))
      .in("op_reads_i", operands)
      .in("op_number_i", operands * (address + index_width(banks)))
      .in("busy_i", lanes * banks)
      .out("bank_enable_o", lanes * banks)
      .out("bank_operand_o", lanes * banks * index_width(operands))
      .out("bank_addr_o", lanes * banks * address);
}

}  // namespace warpfold::cosim
