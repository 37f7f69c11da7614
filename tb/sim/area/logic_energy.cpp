// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/area/logic_energy.h"

#include <filesystem>
#include <map>

#include "tb/cosim/blocks.h"
#include "tb/cosim/record/activity.h"
#include "warpfold/area/terms.h"
#include "warpfold/common/error.h"

namespace warpfold::sim {
namespace {

using Instances = std::map<std::string, cosim::BlockActivity>;

// "core0.stack_block3" is one of "stack".
Instances instances_of(const std::string& block, const Instances& all) {
  Instances own;
  for (const auto& [instance, activity] : all) {
    const std::string name = instance.substr(instance.find('.') + 1);
    const std::string rest = name.starts_with(block) ? name.substr(block.size()) : "?";
    if ((rest.empty() || rest[0] == '_') && activity.clocks != 0) own.emplace(instance, activity);
  }
  return own;
}

// A clock's energy on the process: capacitances go with the feature size, energy with the square of the voltage.
double pj_on(const area::Process& process, const MappedBlock& on, const Synthesis& measured) {
  const double volts = measured.volts > 0 ? area::supply_volts(process.node_nm) / measured.volts : 1;
  return measured.pj_per_clock * process.node_nm / on.library.node_nm * volts * volts;
}

}  // namespace

LogicEnergy logic_energy(const AreaSubject& run, const HardwareCost& cost, const CostSettings& settings) {
  LogicEnergy energy;
  if (!run.total || run.options.rtl.waves.empty() || !std::filesystem::exists(run.options.rtl.waves)) return energy;
  const Instances recorded = cosim::activity_in(run.options.rtl.waves);
  const Synthesizer synthesizer(settings.libraries, settings.jobs, settings.designs);
  double pj = 0;
  std::size_t found = 0;
  for (const auto& [name, did] : run.rtl.items()) {
    const Instances own = instances_of(name, recorded);
    for (const BlockCost& block : cost.blocks) {
      if (own.empty() || block.missing() || block.use.module != cosim::rtl_block(name).top) continue;
      const MappedBlock& on = block.mapped.front();
      const Synthesizer::Request request{block.use, on.index, 0, false, cosim::text_of(cosim::mean_of(own))};
      const Synthesis measured = synthesizer.run({request}).front();
      pj += did.value("clocks", 0.0) * pj_on(settings.process, on, measured);
      ++found;
    }
  }
  if (found != 0) energy.mj = 1e-9 * pj;
  energy.all = found == cost.blocks.size() && !cost.bound();
  return energy;
}

}  // namespace warpfold::sim
