// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/machine/gpu_setup.h"

#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"

namespace warpfold {

GpuSetup::GpuSetup(const RunOptions& options)
    : mechanism(divergence::find_mechanism(options.mechanism).configure(options.mechanism_parameters)),
      machine(options.machine) {
  check_consistency(machine, "machine " + options.machine_name);
  const std::string reason = mechanism.why_not(machine.core.geometry());
  if (!reason.empty())
    user_error("mechanism {} cannot run on machine {}: {}", options.mechanism, options.machine_name, reason);
  machine.core = machine.core.shaped_by(mechanism);
}

GpuSetup GpuSetup::of(const std::string& machine, const std::string& mechanism, const std::vector<std::string>& sets) {
  return GpuSetup(RunOptions::resolve(machine, mechanism, sets));
}

isa::DecodeOptions GpuSetup::decode_options(Code code, bool room_for_any_block) const {
  const CoreParams& core = machine.core;
  isa::DecodeOptions options;
  options.block_placement = code == Code::kPlaced;
  options.address_bits = core.address_bits == AddressBits::k32 ? 32 : 64;
  options.registers.per_thread = core.max_registers_per_thread;
  options.registers.warp_size = core.warp_size;
  if (room_for_any_block) return options;
  options.registers.per_core = core.registers;
  options.registers.threads_per_core = core.max_threads;
  return options;
}

Address GpuSetup::memory_base() const {
  return machine.core.address_bits == AddressBits::k32 ? DeviceMemory::kBase32 : DeviceMemory::kBase;
}

std::vector<FieldView> GpuSetup::parameters() const {
  std::vector<FieldView> all = fields_of(machine);
  for (FieldView field : mechanism.parameters) {
    field.path = "mechanism." + field.path;
    all.push_back(std::move(field));
  }
  return all;
}

FieldView GpuSetup::parameter(const std::string& name) const {
  std::vector<std::string> names;
  for (FieldView& field : parameters()) {
    if (field.section()) continue;
    if (field.path == name) return field;
    names.push_back(field.path);
  }
  user_error("{}: no such parameter; {}", name, suggestion(name, names));
}

}  // namespace warpfold
