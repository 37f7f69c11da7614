// SPDX-License-Identifier: Apache-2.0
// What of PTX kernels may use, as a list: for the documentation, and for a test that decodes an example of each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpfold::isa {

struct InstructionForm {
  std::string_view name;     // "atom"
  std::string_view form;     // with what may stand in it
  std::string_view remark;   // how it is executed, where that is not as it says; may be empty
  std::string_view example;  // in a kernel with registers %p, %rs, %r, %f, %rd, %fd and a shared array `box`
};

// Instructions that are no lane-wise operations.
const std::vector<InstructionForm>& instruction_forms();

// All instructions, sorted by name: lane-wise ones with every opcode that there is.
struct InstructionRow {
  std::string name;
  std::vector<std::string> forms;
  std::vector<std::string> remarks;
};
std::vector<InstructionRow> instruction_table();

}  // namespace warpfold::isa
