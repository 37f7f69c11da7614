// SPDX-License-Identifier: Apache-2.0
// Stores of studies with damaged bytes: whether each of their tables and views can be read or the store is refused.
#include "tb/study/store.h"

#include "tests/fuzz/harness.h"

namespace {

using namespace warpfold;

const char* const kStudy = R"(title: t
points:
  - {part: one, machine: tbc2011, workload: [bfs, scan], mechanism: [pdom, tbc]}
figures:
  - name: f
    title: F
    sql: SELECT workload, speedup FROM v
)";

// The bytes of a store with a study.
std::string make_store(const fuzz::Folder& folder) {
  const study::Study study = study::load_study(folder.write("s.yaml", kStudy), false);
  study::Store(folder.path(), study::Store::Access::kWrite).put(study, study::plan(study, folder.path(), {}));
  std::ifstream in(folder.path() / "store.sqlite", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

// Each three bytes of the input change a byte of the file: its place in two, its value.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Folder folder;
  static const std::string good = make_store(folder);
  std::string bytes = good;
  for (std::size_t i = 0; i + 3 <= size; i += 3) {
    bytes[(std::size_t{data[i]} << 8 | data[i + 1]) % bytes.size()] = static_cast<char>(data[i + 2]);
  }
  folder.write("store.sqlite", bytes);
  fuzz::accepted([&] {
    study::Store store(folder.path(), study::Store::Access::kRead);
    const study::Rows names = store.query("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')", "names");
    for (const auto& row : names.rows) {
      fuzz::accepted([&] { store.query("SELECT * FROM \"" + row.at(0).value_or("") + "\"", "table"); });
    }
  });
  return 0;
}
