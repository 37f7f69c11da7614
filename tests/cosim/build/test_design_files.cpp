// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/build/build.h"
#include "tb/cosim/build/design_files.h"
#include "tests/cosim/rtl_fixture.h"

namespace warpfold::cosim {
namespace design_files_test {

using DesignFilesTest = RtlTest;
using Files = std::vector<std::string>;

TEST_F(DesignFilesTest, ListsStandForTheirFiles) {
  write("top.sv", "module top; endmodule\n");
  const std::string list = write("design.f", "# a list\n\n  top.sv  // the top\n");
  EXPECT_EQ(design_files({list, "my.sv"}, "--rtl x"),
            (Files{directory / "top.sv", std::filesystem::current_path() / "my.sv"}));
}

TEST_F(DesignFilesTest, ListsHaveOptionsAndLists) {
  for (const char* file : {"top.sv", "part.sv", "spare.v"}) write(file, "module m; endmodule\n");
  setenv("WARPFOLD_TEST_PARTS", directory.c_str(), 1);
  write("inner.f", "${WARPFOLD_TEST_PARTS}/part.sv +define+DEEP\n");
  const std::string list = write(
      "design.f",
      "+incdir+inc+more +define+N=2+FAST +libext+.v\n-y $(WARPFOLD_TEST_PARTS)/lib -v spare.v -f inner.f top.sv\r");
  const std::string here = directory.string();
  EXPECT_EQ(design_files({list}, "--rtl x"),
            (Files{here + "/part.sv", here + "/top.sv", "+incdir+" + here + "/inc", "+incdir+" + here + "/more",
                   "+define+N=2", "+define+FAST", "+define+DEEP", "-y" + here + "/lib", "-v" + here + "/spare.v"}));
  RtlSource source;
  add_design(source, design_files({list}, "--rtl x"));
  EXPECT_EQ(source.files.size(), 2U);
  EXPECT_EQ(source.options.size(), 7U);
}

TEST_F(DesignFilesTest, MistakesAreOneLine) {
  const auto said = [&](const std::string& list) { return complaint([&] { design_files({list}, "--rtl x"); }); };
  const auto of = [](const std::string& list) { return "--rtl x: --source " + list; };
  const std::string empty = write("empty.f", "# nothing\n"), option = write("option.f", "\n-sverilog\n"),
                    file = write("file.f", "none.sv\n"), self = write("self.f", "-f other.f\n"),
                    variable = write("variable.f", "$WARPFOLD_NOWHERE/a.sv\n"), bare = write("bare.f", "-y\n");
  const std::string other = write("other.f", "\n-F self.f\n"), none = directory / "none.f";
  EXPECT_EQ(said(empty), of(empty) + ": lists no file");
  EXPECT_EQ(said(option),
            "--rtl x: " + option + ":2: -sverilog: a list has files, +incdir+, +define+, +libext+, -y, -v and -f");
  EXPECT_EQ(said(file), "--rtl x: " + file + ":1: none.sv: there is no such file");
  EXPECT_EQ(said(self), "--rtl x: " + other + ":2: self.f: includes itself");
  EXPECT_EQ(said(variable), "--rtl x: " + variable + ":1: $WARPFOLD_NOWHERE: the environment has no such variable");
  EXPECT_EQ(said(bare), "--rtl x: " + bare + ":1: -y: names nothing");
  EXPECT_EQ(said(none), of(none) + ": there is no such list of files");
}

}  // namespace design_files_test
}  // namespace warpfold::cosim
