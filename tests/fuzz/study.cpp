// SPDX-License-Identifier: Apache-2.0
// Study files, whole and quick, and their figures' queries, which are prepared and not run.
#include "tb/study/study.h"

#include "tb/study/store.h"
#include "tests/fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpfold;
  static const fuzz::Folder folder;
  const std::string path = folder.write("s.yaml", fuzz::text_of(data, size));
  for (const bool quick : {false, true}) {
    study::Study study;
    if (!fuzz::accepted([&] { study = study::load_study(path, quick); })) continue;
    if (study.name.empty()) fuzz::broken("a study without a name");
    fuzz::accepted([&] { study::Store::in_memory(folder.path()).check(study); });
  }
  return 0;
}
