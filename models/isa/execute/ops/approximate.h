// SPDX-License-Identifier: Apache-2.0
// Approximate functions that instructions of several types share.
#pragma once

namespace warpfold::isa {

float approximate_exp2(float x);
float approximate_tanh(float x);

}  // namespace warpfold::isa
