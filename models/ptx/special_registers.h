// SPDX-License-Identifier: Apache-2.0
// Which names are special registers (PTX ISA §10) rather than declared ones.
#pragma once

#include <string_view>

namespace warpfold::ptx {

// `name` without its component, `component` without the dot and empty if there is none.
bool is_special_register(std::string_view name, std::string_view component);

}  // namespace warpfold::ptx
