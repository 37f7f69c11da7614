// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/check/findings.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

namespace warpfold::isa {
namespace {

constexpr std::size_t kMostTold = 100;  // whoever has more, has enough to do

std::string text_of(const Finding& finding) {
  std::string text = fmt::format("warpfold: {}: {}\n", is_note(finding.kind) ? "note" : "error", name_of(finding.kind));
  if (finding.kernel.empty()) return text + "    " + finding.act + "\n";
  const std::string where = finding.source.empty() ? finding.ptx : fmt::format("{} ({})", finding.source, finding.ptx);
  text += fmt::format("    in {} at {}\n    {} {}", finding.kernel, where, finding.thread, finding.act);
  if (finding.count > 1) text += fmt::format(", and {} more like it", finding.count - 1);
  text += "\n";
  if (!finding.memory.empty()) text += "    " + finding.memory + "\n";
  return text;
}

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

const char* name_of(FindingKind kind) {
  constexpr std::array kNames{"out of bounds",
                              "use after free",
                              "misaligned",
                              "uninitialized read",
                              "race in shared memory",
                              "race in global memory",
                              "fault",
                              "stray read, returned zero",
                              "race that changes nothing"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::size_t Findings::add(Finding finding) {
  const auto [entry, fresh] = numbers_.try_emplace({finding.kind, finding.kernel, finding.place()}, all_.size());
  if (fresh) {
    all_.push_back(std::move(finding));
  } else {
    again(entry->second);
  }
  return entry->second;
}

std::uint64_t Findings::errors() const {
  std::uint64_t errors = 0;
  for (const Finding& finding : all_) errors += is_note(finding.kind) ? 0 : finding.count;
  return errors;
}

std::uint64_t Findings::count(FindingKind kind) const {
  std::uint64_t count = 0;
  for (const Finding& finding : all_) count += finding.kind == kind ? finding.count : 0;
  return count;
}

std::string Findings::news() {
  std::string text;
  for (; told_ < all_.size(); ++told_) {
    if (told_ < kMostTold) text += text_of(all_[told_]);
    if (told_ == kMostTold) text += "warpfold: further places are in run.json only\n";
  }
  return text;
}

std::string Findings::summary() const {
  std::size_t places = 0;
  for (const Finding& finding : all_) places += is_note(finding.kind) ? 0 : 1;
  std::string text = "warpfold: " + counted(errors(), "error", "errors");
  if (places > 0) text += " in " + counted(places, "place", "places");
  if (stray_reads() > 0) text += ", " + counted(stray_reads(), "stray read", "stray reads") + " returned zero";
  const std::uint64_t harmless = count(FindingKind::kHarmlessRace);
  if (harmless > 0) text += ", " + counted(harmless, "race that changes", "races that change") + " nothing";
  return text + "\n";
}

std::string Findings::json() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Finding& finding : all_) {
    list.push_back({{"kind", name_of(finding.kind)},
                    {"kernel", finding.kernel},
                    {"source", finding.source},
                    {"ptx", finding.ptx},
                    {"thread", finding.thread},
                    {"act", finding.act},
                    {"memory", finding.memory},
                    {"count", finding.count},
                    {"launch", finding.launch}});
  }
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace warpfold::isa
