// SPDX-License-Identifier: Apache-2.0
// A study: which points there are, and which questions their results answer (docs/studies.md).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tb/sim/runs/runner.h"
#include "tb/study/axes.h"
#include "warpfold/common/config/config.h"

namespace warpfold::study {

// A point by the names in the file: nothing has been looked up.
struct Choice {
  std::string part, machine, mechanism, packing, workload, input, size, seed;
  std::string timing = "cycle", detail, sample, code = "placed", rtl, rtl_check = "equal";
  bool both_orders = false;  // where it issues warps in another order than its baseline, each is run in the other's
  bool bound = false;        // beside a mechanism that regroups threads, the oracle says what that can save
  Values settings;           // of machine and mechanism
  std::string place;         // of its part
};

// `base` with what `values` say, by the names of a study file; others are settings.
Choice choice_of(Choice base, const Values& values);

// A view over the results, and how it is drawn.
struct Figure {
  std::string name, sql;
  std::string place;
  std::vector<ConfigNode> columns = {};  // that its chart names
};

struct Study {
  std::string name;  // of its results: with -quick where that is asked for
  std::string file, title, question;
  nlohmann::ordered_json definition;                          // the whole file
  std::string baseline_mechanism = "pdom", baseline_packing;  // no packing: the machine's
  sim::Limits limits;
  bool area = false;  // what its mechanisms add to its machines is wanted too
  bool quick = false;
  std::vector<Choice> choices;
  std::vector<Figure> figures;
};

// A value as it is written in a file: a number, true or false where it is one, else text.
nlohmann::ordered_json scalar_json(const std::string& text);
nlohmann::ordered_json json_of(const ConfigNode& node);  // with such values; lists read with kOfAnything

// "2,4,8" for a parameter: --sweep core.warp_size=8,16,32. UserError.
Axis sweep_of(const std::string& text);

const std::vector<FieldView>& study_keys();  // of a study file

// By name in configs/studies, or by path. `quick`: as the file's `quick` says. UserError, with the line.
Study load_study(const std::string& name_or_path, bool quick);

}  // namespace warpfold::study
