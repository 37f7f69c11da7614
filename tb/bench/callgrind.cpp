// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/callgrind.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <istream>
#include <iterator>
#include <numeric>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warpfold/common/error.h"

namespace warpfold::bench {
namespace {

constexpr Part kNobody = kParts;

struct Rule {
  std::string_view text;
  Part part;
};

// The first that a file's path contains. Headers that everybody includes are in none.
constexpr Rule kFiles[] = {
    {"models/common/clock/clock.", kClock},
    {"/include/sysc/", kSystemC},
    {"/include/tlm", kTlm},
    {"models/core/memory/coalescer.", kLoadStore},
    {"models/core/memory/load_store_unit.", kLoadStore},
    {"models/core/operands/register_", kRegisters},
    {"models/core/operands/simd_units.", kRegisters},
    {"models/core/operands/execution_pipes.", kRegisters},
    {"models/core/operands/write_back.", kRegisters},
    {"models/core/issue/lane_statistics.", kLaneStatistics},
    {"models/divergence/packing/", kLaneStatistics},
    {"models/core/warps/warps", kBranch},
    {"models/core/warps/warp_unit.", kBranch},
    {"models/core/warps/block_barriers.", kBranch},
    {"models/core/warps/rendezvous.", kBranch},
    {"models/divergence/", kBranch},
    {"models/compaction/", kBranch},
    {"models/core/instruction.h", kNobody},
    {"models/core/core_params.h", kNobody},
    {"models/core/", kIssue},
    {"models/isa/", kLanes},
    {"models/common/clock/port_socket.h", kTlm},
    {"models/common/clock/typed_protocol.h", kTlm},
    {"models/memory/dram/payload_pool.h", kTlm},
    {"models/memory/dram/memory_protocol.h", kTlm},
    {"models/memory/network/ring.h", kNobody},
    {"models/memory/", kMemory},
    {"models/gpu/", kOther},
    {"models/host/", kOther},
    {"models/common/results/results.", kResults},
};

Part part_of_file(std::string_view file) {
  // Headers come through the build folder's link to models/.
  constexpr std::string_view kLink = "include/warpfold/";
  std::string path(file);
  if (const std::size_t at = path.find(kLink); at != path.npos) path.replace(at, kLink.size(), "models/");
  for (const Rule& rule : kFiles) {
    if (path.find(rule.text) != path.npos) return rule.part;
  }
  return kNobody;
}

// Debian's libsystemc comes without debug information: its functions are known by name. So are those that write
// results, whom the comparison leaves out in any build.
Part part_of_function(std::string_view object, std::string_view path, std::string_view function) {
  if (const Part part = part_of_file(path); part != kNobody) return part;
  if (function.starts_with("tlm::")) return kTlm;
  if (function.starts_with("warpfold::ResultWriter::")) return kResults;
  if (object.find("libsystemc") != object.npos || function.starts_with("sc_core::")) return kSystemC;
  return kNobody;
}

// A call's cost on the callee's side: who spent it, a part or a function that no part owns.
struct Caller {
  Part part;
  unsigned function;
  double cost;
};

struct Function {
  Part part = kNobody;
  double own = 0;  // of lines that no part owns, where none owns the function either
  std::vector<Caller> callers;
};

class Reader {
 public:
  Reader(std::istream& in, const std::string& name, const std::vector<std::string_view>& events)
      : in_(in), name_(name), events_(events) {}

  void read() {
    std::string line;
    if (!std::getline(in_, line) || !line.starts_with("# callgrind format")) fail("this is no output of callgrind");
    while (std::getline(in_, line)) take(line);
    if (!total_known_ || wanted_.empty()) fail("it ends early: valgrind was stopped, or has written nothing");
  }

  PartCosts costs = {};
  std::vector<Function> functions;
  double total = 0;

 private:
  [[noreturn]] void fail(const std::string& why) const { user_error("{}: {}", name_, why); }

  void take(std::string_view line) {
    if (line.empty() || line[0] == '#') return;
    if (line.find_first_of("0123456789+-*") == 0) return cost_line(line);
    const auto equals = line.find('=');
    const std::string_view key = line.substr(0, equals);
    if (equals != line.npos && key.find(':') == key.npos) return entry(key, line.substr(equals + 1));
    header(line);
  }

  void header(std::string_view line) {
    if (line.starts_with("events:")) {
      columns_of(std::string(line.substr(line.find(':') + 1)));
    } else if (line.starts_with("totals:")) {
      total = sum_of(line.substr(line.find(' ') + 1));
      total_known_ = true;
    }
  }

  void entry(std::string_view key, std::string_view value) {
    if (key == "ob") {
      object_ = text(objects_, value);
    } else if (key == "fl" || key == "fi" || key == "fe") {
      file_ = text(files_, value);
    } else if (key == "cfl" || key == "cfi") {
      text(files_, value);
    } else if (key == "cob") {
      text(objects_, value);
    } else if (key == "fn") {
      const std::string_view name = text(names_, value);
      function_ = function(value);
      functions[function_].part = part_of_function(object_, file_, name);
    } else if (key == "cfn") {
      text(names_, value);
      callee_ = function(value);
    } else if (key == "calls") {
      calls_ = true;
    }
  }

  void columns_of(const std::string& names) {
    std::istringstream in(names);
    const std::vector<std::string> columns{std::istream_iterator<std::string>(in), {}};
    wanted_.resize(columns.size());
    for (const std::string_view event : events_) {
      const auto at = std::find(columns.begin(), columns.end(), event);
      if (at == columns.end()) fail("it has no event " + std::string(event));
      wanted_[static_cast<std::size_t>(at - columns.begin())] = true;
    }
  }

  // A place in the source and the events there; after "calls=", those of the callee.
  void cost_line(std::string_view line) {
    const auto blank = line.find(' ');
    const double cost = blank == line.npos ? 0 : sum_of(line.substr(blank + 1));
    const Part of_file = part_of_file(file_);
    const Part part = of_file != kNobody ? of_file : functions.at(function_).part;
    if (calls_) {
      if (callee_ != function_) functions[callee_].callers.push_back({part, function_, cost});
    } else if (part != kNobody) {
      costs[part] += cost;
    } else {
      functions[function_].own += cost;
    }
    calls_ = false;
  }

  // Callgrind leaves out noughts at the end.
  double sum_of(std::string_view counts) const {
    double sum = 0;
    for (std::size_t column = 0; !counts.empty(); ++column) {
      const auto blank = std::min(counts.find(' '), counts.size());
      const double count = number(counts.substr(0, blank));
      if (column < wanted_.size() && wanted_[column]) sum += count;
      counts.remove_prefix(std::min(blank + 1, counts.size()));
    }
    return sum;
  }

  double number(std::string_view digits) const {
    std::uint64_t value = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc())
      fail("it has a line without its cost");
    return static_cast<double>(value);
  }

  // "(7) name" gives the name a number, "(7)" is that name again.
  using Texts = std::unordered_map<std::string, std::string>;
  static std::string_view text(Texts& known, std::string_view value) {
    const auto blank = value.find(' ');
    std::string& entry = known[std::string(value.substr(0, value.find(')')))];
    if (value[0] != '(') {
      entry = value;
    } else if (blank != value.npos) {
      entry = value.substr(blank + 1);
    }
    return entry;
  }

  // Callgrind numbers functions, not their names: two of one name in two files are two.
  unsigned function(std::string_view value) {
    const auto [place, is_new] = numbers_.try_emplace(std::string(value.substr(0, value.find(')'))), functions.size());
    if (is_new) functions.emplace_back();
    return place->second;
  }

  std::istream& in_;
  std::string name_;
  std::vector<std::string_view> events_;
  std::vector<bool> wanted_;  // by column of a line's counts
  Texts objects_, files_, names_;
  std::unordered_map<std::string, unsigned> numbers_;
  std::string_view object_, file_;
  unsigned function_ = 0, callee_ = 0;
  bool calls_ = false, total_known_ = false;
};

// Each function's shares among the parts, from its callers' shares; a few rounds reach through chains of library
// functions that call one another.
std::vector<PartCosts> shares_of(const std::vector<Function>& functions) {
  constexpr unsigned kRounds = 40;
  std::vector<PartCosts> shares(functions.size());
  for (unsigned round = 0; round < kRounds; ++round) {
    for (std::size_t f = 0; f < functions.size(); ++f) {
      if (functions[f].part != kNobody) continue;
      PartCosts from_callers = {};
      for (const Caller& caller : functions[f].callers) {
        if (caller.part != kNobody) {
          from_callers[caller.part] += caller.cost;
        } else {
          for (unsigned p = 0; p < kParts; ++p) from_callers[p] += caller.cost * shares[caller.function][p];
        }
      }
      const double whole = sum(from_callers);
      if (whole > 0) {
        for (unsigned p = 0; p < kParts; ++p) shares[f][p] = from_callers[p] / whole;
      }
    }
  }
  return shares;
}

}  // namespace

double sum(const PartCosts& costs) { return std::accumulate(costs.begin(), costs.end(), 0.0); }

PartCosts part_costs(std::istream& callgrind, const std::string& name, const std::vector<std::string_view>& events) {
  Reader reader(callgrind, name, events);
  reader.read();
  PartCosts costs = reader.costs;
  const std::vector<PartCosts> shares = shares_of(reader.functions);
  for (std::size_t f = 0; f < shares.size(); ++f) {
    const double own = reader.functions[f].own;
    if (sum(shares[f]) == 0) costs[kOther] += own;
    for (unsigned p = 0; p < kParts; ++p) costs[p] += own * shares[f][p];
  }
  if (std::abs(sum(costs) - reader.total) > 0.5 + 1e-9 * reader.total)
    user_error("{}: its lines cost {:.0f}, its total says {:.0f}", name, sum(costs), reader.total);
  return costs;
}

}  // namespace warpfold::bench
