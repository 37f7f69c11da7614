// SPDX-License-Identifier: Apache-2.0
// Written by `ctest -R StorageFit.SourceHoldsTheFit -V`, which fits models/area/cacti_grid.csv and prints this.
#include "warpfold/area/storage.h"

namespace warpfold::area {

const Coefficients& fitted() {
  static const Coefficients coefficients{
      .gate_delay = {0.4332, 0.714306, 1.70338, 2.51915},
      .ram_area = {1.20888, 466.405, 24.0312, 20.7042, 0.0450968, 45722.2},
      .bank_wires = 9.25243,
      .cache_area = {1.24729, 8.46194},
      .cam_area = {1.14317, 2429.05, 382.336, 150887},
      .ram_time = {0.0726443, 0.00807281, 0.00181629, 0.170633},
      .way_wires = 0.109126,
      .cam_time = {0.0270805, 0.267975, 1.2526},
      .ram_energy = {0.409751, 0.00381553, 0.0350171, 0.0394441},
      .cam_energy = {1.39585, 0.0037786},
  };
  return coefficients;
}

}  // namespace warpfold::area
