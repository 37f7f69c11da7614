// SPDX-License-Identifier: Apache-2.0
#include "warpfold/host/runtime/linked_image.h"

#include <algorithm>
#include <set>
#include <utility>

#include "warpfold/common/symbol_name.h"
#include "warpfold/host/runtime/relocatable.h"
#include "warpfold/isa/decode/families/decode_system_calls.h"
#include "warpfold/ptx/link.h"
#include "warpfold/ptx/parser.h"

namespace warpfold::host {
namespace {

// In front of every part, the first one too.
std::string part_mark() { return std::string("\n") + kRelocatableMark; }

std::string without_line_ends(std::string name) {
  std::replace(name.begin(), name.end(), '\n', ' ');
  return name;
}

}  // namespace

// The line stays, so that messages count right.
std::string standing_alone(std::string ptx) {
  if (ptx.starts_with(kRelocatableMark)) ptx.erase(0, ptx.find('\n'));
  return ptx;
}

std::string linked_image(const std::vector<LinkedPart>& parts) {
  std::string image = kLinkedMark;
  for (const LinkedPart& part : parts) {
    image += part_mark() + without_line_ends(part.name) + "\n" + standing_alone(part.ptx);
  }
  return image;
}

ptx::Module parsed_image(std::string_view image, const std::string& file) {
  if (!image.starts_with(kLinkedMark)) return ptx::parse(std::string(image), file);
  const std::string mark = part_mark();
  std::vector<ptx::Module> modules;
  std::string lines;  // those of the parts before, so that lines are those of the whole
  for (std::size_t at = image.find(mark); at != std::string_view::npos;) {
    const std::size_t name = at + mark.size(), end = image.find('\n', name), next = image.find(mark, end);
    const std::string text(image.substr(end, next == std::string_view::npos ? next : next - end));
    modules.push_back(ptx::parse(lines + text, std::string(image.substr(name, end - name))));
    lines.append(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), '\n');
    at = next;
  }
  return ptx::link(std::move(modules), file);
}

std::vector<std::string> undefined_in(const ptx::Module& module) {
  std::set<std::string> names;
  for (const ptx::Variable& variable : module.variables) {
    const bool sized_at_launch = variable.space == ptx::Space::kShared;
    if (variable.linkage == ptx::Linkage::kExtern && !sized_at_launch) names.insert(shown_name(variable.name));
  }
  for (const ptx::Function& function : module.functions) {
    for (const ptx::Instruction& instruction : function.instructions) {
      if (isa::is_system_call(module, instruction)) continue;
      for (const ptx::Operand& operand : instruction.operands) {
        if (operand.refers != ptx::Refers::kFunction || module.functions[operand.index].has_body) continue;
        names.insert(shown_name(operand.name));
      }
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace warpfold::host
