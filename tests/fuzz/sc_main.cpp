// SPDX-License-Identifier: Apache-2.0
// libsystemc asks for it; libFuzzer has the main().
extern "C" int sc_main(int, char**) { return 0; }
