// SPDX-License-Identifier: Apache-2.0
// main() for every test program, and the sc_main stub that libsystemc wants from whoever links it.
#include <gtest/gtest.h>

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

extern "C" int sc_main(int, char**) { return 0; }
