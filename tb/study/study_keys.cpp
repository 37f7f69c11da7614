// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "tb/study/study.h"
#include "warpfold/divergence/registry.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold::study {

const std::vector<FieldView>& study_keys() {
  const std::vector<std::string> machines = config_names("machines"),
                                 charts{"bars", "stacked", "lines", "points", "heatmap", "waterfall", "table"},
                                 sizes{"small", "default", "large", "one-block"}, timings{"cycle", "functional"},
                                 codes{"placed", "as-written"};
  std::vector<std::string> mechanisms, packings;
  for (const auto& info : divergence::mechanisms()) mechanisms.push_back(info.name);
  for (const auto& packing : divergence::kPackings) packings.push_back(packing.name);
  using Kind = FieldKind;
  static const std::vector<FieldView> keys{
      must_have("title", Kind::kText, "what the study is about, for people"),
      may_have("question", Kind::kText, "what it asks, for people"),
      may_have("paper", Kind::kText, "whose figures are made again"),
      may_have("baseline", Kind::kTable, "what speed-ups are against"),
      may_have("baseline.mechanism", Kind::kText, "(pdom)", mechanisms),
      may_have("baseline.simd", Kind::kText, "its lane packing (the machine's own, if a point has it; else none)",
               packings),
      may_have("limits", Kind::kTable, "of a run: one that goes beyond has failed"),
      may_have("limits.minutes", Kind::kReal, "of processor time").within("0"),
      may_have("limits.memory_mb", Kind::kReal, "of memory, in MB").within("0"),
      may_have("seeds", Kind::kValues, "of all parts that do not say otherwise"),
      may_have("size", Kind::kValues, "of all parts that do not say otherwise", sizes),
      may_have("machine", Kind::kValues, "of all parts that do not say otherwise", machines),
      may_have("mechanism", Kind::kValues, "of all parts that do not say otherwise", mechanisms),
      may_have("timing", Kind::kValues, "of all parts that do not say otherwise", timings),
      may_have("code", Kind::kValues, "of all parts that do not say otherwise", codes),
      must_have("points", Kind::kTables, "parts; each is the product of its lists"),
      must_have("points.part", Kind::kText, "its name"),
      may_have("points.machine", Kind::kValues, "names or paths", machines),
      may_have("points.mechanism", Kind::kValues, "how diverged warps are handled", mechanisms),
      may_have("points.simd", Kind::kValues, "lane packings (the machine's own)", packings),
      may_have("points.workload", Kind::kValues, "bundled programs, sets of them, all, or commands"),
      may_have("points.input", Kind::kValues, "texts for {input} in commands"),
      may_have("points.seeds", Kind::kValues, "5: the seeds 1 to 5; a list: those; 0: each program's own input"),
      may_have("points.size", Kind::kValues, "of bundled programs", sizes),
      may_have("points.timing", Kind::kValues, "cycle, or functional: values only", timings),
      may_have("points.code", Kind::kValues, "placed: blocks as an assembler would lay them; as-written: as in the PTX",
               codes),
      may_have("points.set", Kind::kNamed, "values of parameters: core.warp_size: [16, 32]"),
      may_have("points.zip", Kind::kAnything, "groups of lists that go together: [[machine, core.warp_size]]"),
      may_have("points.exclude", Kind::kTables, "points to leave out: those that match all of a rule"),
      may_have("points.both_orders", Kind::kFlag,
               "a mechanism is also run in the baseline's order of warps, and the baseline in its own"),
      may_have("points.bound", Kind::kFlag, "beside mechanisms that regroup threads the oracle is run in their scope"),
      may_have("points.design", Kind::kTable, "a design of experiments in the place of a product"),
      must_have("points.design.kind", Kind::kChoice, "how many runs it makes of the factors", designs()),
      must_have("points.design.factors", Kind::kNamed, "parameters with a low and a high value"),
      may_have("points.design.generators", Kind::kList, "of fractional-factorial: C=AB"),
      may_have("points.design.row", Kind::kText, "of plackett-burman: another first row, in + and -"),
      may_have("quick", Kind::kTable, "the study's quick form"),
      may_have("quick.size", Kind::kText, "in the place of size default", sizes),
      may_have("quick.seeds", Kind::kValues, "as in parts"),
      may_have("quick.parts", Kind::kValues, "only these"),
      may_have("quick.workload", Kind::kValues, "only these"),
      may_have("quick.area", Kind::kFlag, "its areas are wanted, too"),
      may_have("area", Kind::kFlag, "what each variant takes of a core gets into the store"),
      may_have("figures", Kind::kTables, "views over the results and how they are drawn"),
      must_have("figures.name", Kind::kText, "of the view: a-z, 0-9, _"),
      must_have("figures.title", Kind::kText, "what stands above it"),
      may_have("figures.where", Kind::kText, "in a paper"),
      may_have("figures.notes", Kind::kText, "what differs from it, and why"),
      must_have("figures.sql", Kind::kText, "one query that begins with SELECT or WITH"),
      may_have("figures.chart", Kind::kTable, "how its rows are drawn; most keys name columns"),
      must_have("figures.chart.kind", Kind::kChoice, "the form", charts),
      may_have("figures.chart.x", Kind::kText, "column along x"),
      may_have("figures.chart.y", Kind::kText, "column along y"),
      may_have("figures.chart.colour", Kind::kText, "column that tells series apart"),
      may_have("figures.chart.low", Kind::kText, "column of the interval's lower end"),
      may_have("figures.chart.high", Kind::kText, "column of the interval's upper end"),
      may_have("figures.chart.label", Kind::kText, "column of words beside points"),
      may_have("figures.chart.value", Kind::kText, "column that a heat map shows"),
      may_have("figures.chart.facet", Kind::kText, "column: a plot for each of its values"),
      may_have("figures.chart.diagonal", Kind::kFlag, "draws where both axes are the same"),
      may_have("figures.chart.format", Kind::kText, "of numbers, as d3-format has it"),
      may_have("figures.chart.reference", Kind::kReal, "a line at that y"),
      may_have("figures.chart.x_title", Kind::kText, "title of the axis"),
      may_have("figures.chart.y_title", Kind::kText, "title of the axis"),
      may_have("figures.chart.log", Kind::kFlag, "y is logarithmic"),
      may_have("figures.printed", Kind::kTables, "values of the paper: columns of the chart, value, where")};
  return keys;
}

}  // namespace warpfold::study
