// SPDX-License-Identifier: Apache-2.0
// `warpfold explain`: kernels with one planted cause each, sums, and mistakes.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/common/command_line.h"

namespace warpfold {
namespace explain_test {

using Json = nlohmann::json;

class Explain : public CommandLineTest {
 protected:
  Result explain(const std::string& options, const std::string& kernel) const {
    return warpfold("explain " + options + " -- " PLANTED_PROGRAM " " + kernel);
  }
  static std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }
};

struct Planted {
  const char *kernel, *options, *cause;
};

class PlantedCause : public Explain, public testing::WithParamInterface<Planted> {};

TEST_P(PlantedCause, IsNamedInTheFirstLine) {
  const Result r = explain(GetParam().options, GetParam().kernel);
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_NE(first_line(r.out).find(std::string(", most of all by ") + GetParam().cause), std::string::npos) << r.out;
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, PlantedCause,
    testing::Values(
        Planted{"coalescing", "--set cores=2 pdom dwf", "coalescing: "},
        Planted{"reconvergence", "--set cores=2 pdom,core.warp_policy=AGE tbc", "waiting at reconvergence points"},
        Planted{"barrier", "--machine gtx480 --set cores=2 multipath pdom", "barriers"},
        Planted{"conflicts", "--set cores=2 pdom,core.shared_banks=64 pdom", "bank conflicts in shared memory"},
        Planted{"thrash", "--set cores=2 pdom pdom,l1d.size_bytes=1024", "L1 misses: "},
        Planted{"read_only_thrash", "--set cores=2 pdom pdom,texture_cache.size_bytes=1024", "L1 misses"},
        Planted{"latency", "--set cores=2 pdom pdom,core.max_blocks=1", "too few blocks on a core"},
        Planted{"tail", "--machine gtx480 --set cores=8 multipath pdom", "cores without blocks"},
        Planted{"drain", "--machine gtx480 --set cores=2 --set core.fetch.cached=false pdom dwf-wb", "draining"},
        Planted{"parting", "--set cores=2 tbc tbc,core.compactor.latency_cycles=64", "the compactor"},
        Planted{"spill", "--set cores=2 tbc tbc,mechanism.stack_entries=4", "spills of the mechanism's stack"},
        Planted{"order", "--set cores=2 pdom pdom,core.warp_policy=GTO", "the order of warps"},
        Planted{"serial", "--set cores=2 tbc pdom,core.warp_policy=AGE", "issued instructions: "}),
    [](const auto& of) { return std::string(of.param.kernel); });

TEST_F(Explain, SlotsAndStepsSumToTheDifference) {
  const Result r = explain("--set cores=2 pdom tbc --json --report page.html", "serial");
  ASSERT_EQ(r.status, 0) << r.err;
  const Json all = Json::parse(r.out);
  double a = 0, b = 0, shares = 0;
  for (const Json& row : all["slots"]) {
    a += row["a_slots"].get<double>();
    b += row["b_slots"].get<double>();
    shares += row["difference"].get<double>();
  }
  const Json& causes = all["causes"];
  const Json &first = causes.front(), &left = causes.back();
  EXPECT_EQ(first["step"], "as they are");
  EXPECT_EQ(a, 2 * first["a_cycles"].get<double>()) << "two cores of one scheduler";
  EXPECT_EQ(b, 2 * first["b_cycles"].get<double>());
  EXPECT_NEAR(shares, (b - a) / a, 1e-9);
  double parts = 0;
  for (const Json& row : causes) {
    if (&row != &first && row["of_difference"].is_number()) parts += row["of_difference"].get<double>();
  }
  EXPECT_EQ(parts, first["of_difference"].get<double>());
  EXPECT_EQ(left["step"], "left: instructions and their order");
  const auto spills =
      std::find_if(causes.begin(), causes.end(), [](const Json& row) { return row["step"] == "no spills of stacks"; });
  ASSERT_NE(spills, causes.end());
  EXPECT_EQ((*spills)["note"], "nothing is spilled");
  EXPECT_NE(all["lines"].dump().find("planted.cu:"), std::string::npos);

  // The page's waterfalls go from one side to the other.
  const std::string page = read_file(directory_ / "page.html"), mark = "id=\"data\">";
  const std::size_t from = page.find(mark) + mark.size();
  const Json figures = Json::parse(page.substr(from, page.find("</script>", from) - from))["figures"];
  ASSERT_EQ(figures.size(), 5U);
  for (const auto& [at, name, begin, end] :
       {std::tuple(0, "slots_waterfall", 1.0, b / a), {2, "causes_waterfall", a / 2, b / 2}}) {
    const Json& figure = figures[static_cast<std::size_t>(at)];
    EXPECT_EQ(figure["name"], name);
    EXPECT_EQ(figure["rows"].front(), Json::array({"pdom", begin}));
    EXPECT_EQ(figure["rows"].back()[0], "tbc");
    EXPECT_NEAR(figure["rows"].back()[1].get<double>(), end, 1e-9);
    double sum = 0;
    for (std::size_t i = 0; i + 1 < figure["rows"].size(); ++i) sum += figure["rows"][i][1].get<double>();
    EXPECT_NEAR(sum, end, 1e-9);
  }
}

TEST_F(Explain, MakesNoMoreRunsThanItIsAskedFor) {
  const Result r = explain("--set cores=2 --slots-only --out here pdom tbc", "serial");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.err.find("[2/2]"), std::string::npos);
  EXPECT_EQ(r.err.find("/3]"), std::string::npos);
  EXPECT_EQ(r.out.find("Causes"), std::string::npos);
  EXPECT_NE(r.out.find("Slots"), std::string::npos);
}

TEST_F(Explain, ASideMayHaveAPacking) {
  const Result r =
      explain("--set cores=2 --set core.warp_size=32 --set core.simd_width=16 --slots-only pdom pdom+scc", "serial");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.out.find("pdom+scc"), std::string::npos);
}

TEST_F(Explain, SidesDifferInOneThing) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"pdom tbc,core.alu_latency_cycles=9",
       "explain: the sides differ in 2 things: the mechanism, core.alu_latency_cycles; give both the same values of "
       "all but one"},
      {"pdom,core.shared_banks=8 pdom,core.alu_latency_cycles=9",
       "2 things: core.alu_latency_cycles, core.shared_banks"},
      {"pdom pdom", "both sides are one and the same run"},
      {"pdom pdom,core.warp_policy=LRR", "both sides are one and the same run"},
      {"pdom tbc,fast", "tbc,fast: 'fast' is no KEY=VALUE"},
      {"pdom foo", "no mechanism 'foo'"},
      {"pdom pdom+foo", "foo"},
      {"pdom pdom+", "both sides are one and the same run"},
      {"pdom tbc+scc", "the sides differ in 2 things: the mechanism, the lane packing"},
      {"pdom,core.warp_policy=RRB harp,core.warp_policy=RRB", "harp on tbc2011: core.warp_policy: "}};
  for (const auto& [sides, message] : cases) {
    const Result r = explain(sides, "serial");
    EXPECT_EQ(r.status, 2) << sides;
    EXPECT_NE(r.err.find(message), std::string::npos) << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }
  EXPECT_NE(warpfold("explain --size small pdom oracle bfs").err.find("oracle takes no cycles"), std::string::npos);
  EXPECT_NE(warpfold("explain pdom tbc").err.find("no program given: warpfold explain"), std::string::npos);
  const Result failed = explain("pdom tbc", "nothing");
  EXPECT_EQ(failed.status, 2);
  EXPECT_NE(failed.err.find("planted: name one kernel"), std::string::npos) << failed.err;
}

}  // namespace explain_test
}  // namespace warpfold
