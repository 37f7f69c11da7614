// SPDX-License-Identifier: Apache-2.0
// JSON Schema (draft 7) of a file's keys, by which editors complete and check it. It knows what the tables say: keys,
// types, bounds, choices. What needs more than one value to decide, the program alone says.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "warpfold/common/config/config.h"

namespace warpfold {

// Which of the keys that a table calls for a file must have.
enum class SchemaKeys : std::uint8_t { kMayLack, kComplete };

// Of a table with the keys of `fields`: no others.
nlohmann::ordered_json schema_of(const std::vector<FieldView>& fields, SchemaKeys keys);

}  // namespace warpfold
