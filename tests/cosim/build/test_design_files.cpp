// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/build/design_files.h"
#include "tests/cosim/rtl_fixture.h"

namespace warpfold::cosim {
namespace design_files_test {

using DesignFilesTest = RtlTest;
using Files = std::vector<std::string>;

TEST_F(DesignFilesTest, ListsStandForTheirFiles) {
  const std::string list = write("design.f", "# a list\n\n  top.sv  // the top\nparts/part.sv\n/else/where.sv\n");
  EXPECT_EQ(design_files({list, "my.sv"}, "--rtl x"),
            (Files{directory / "top.sv", directory / "parts/part.sv", "/else/where.sv",
                   std::filesystem::current_path() / "my.sv"}));
}

TEST_F(DesignFilesTest, MistakesAreOneLine) {
  const std::string empty = write("empty.f", "# nothing\n"), options = write("options.f", "top.sv\n+incdir+x\n");
  EXPECT_EQ(complaint([&] { design_files({empty}, "--rtl x"); }), "--rtl x: " + empty + ": lists no file");
  EXPECT_EQ(complaint([&] { design_files({options}, "--rtl x"); }),
            "--rtl x: " + options +
                ":2: +incdir+x: a list names files, one a line; what they include is looked for "
                "beside them");
  const std::string none = directory / "none.f";
  EXPECT_EQ(complaint([&] { design_files({none}, "--rtl x"); }),
            "--rtl x: " + none + ": there is no such list of files");
}

}  // namespace design_files_test
}  // namespace warpfold::cosim
