// SPDX-License-Identifier: Apache-2.0
// The ports of each block by its parameters, as its module in rtl/ has them.
#pragma once

#include <vector>

#include "tb/cosim/build/build.h"

namespace warpfold::cosim {

std::vector<RtlPort> compactor_ports(const RtlParameters& parameters);
std::vector<RtlPort> adequacy_ports(const RtlParameters& parameters);
std::vector<RtlPort> sorter_ports(const RtlParameters& parameters);
std::vector<RtlPort> swizzle_ports(const RtlParameters& parameters);
std::vector<RtlPort> operand_crossbar_ports(const RtlParameters& parameters);
std::vector<RtlPort> result_crossbar_ports(const RtlParameters& parameters);
std::vector<RtlPort> stack_ports(const RtlParameters& parameters);
std::vector<RtlPort> barrier_ports(const RtlParameters& parameters);
std::vector<RtlPort> pool_ports(const RtlParameters& parameters);
std::vector<RtlPort> ready_ports(const RtlParameters& parameters);
std::vector<RtlPort> waiting_ports(const RtlParameters& parameters);
std::vector<RtlPort> warp_stack_ports(const RtlParameters& parameters);
std::vector<RtlPort> token_stack_ports(const RtlParameters& parameters);
std::vector<RtlPort> predictor_ports(const RtlParameters& parameters);
std::vector<RtlPort> ignore_list_ports(const RtlParameters& parameters);
std::vector<RtlPort> split_table_ports(const RtlParameters& parameters);
std::vector<RtlPort> pool_table_ports(const RtlParameters& parameters);
std::vector<RtlPort> mask_fit_ports(const RtlParameters& parameters);
std::vector<RtlPort> register_ports(const RtlParameters& parameters);

}  // namespace warpfold::cosim
