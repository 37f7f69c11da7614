// SPDX-License-Identifier: Apache-2.0
// A simulation context of its own for every test, so that a test program can also be run as a whole.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <systemc>

namespace warpfold {

// Modules are members of the derived fixture or locals of the test: they go before the context does.
class FreshSystemC : public testing::Test {
 protected:
  FreshSystemC() : context_(std::make_unique<sc_core::sc_simcontext>()) {
    sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = context_.get();
    sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_THROW);
  }
  ~FreshSystemC() override {
    context_.reset();
    sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = nullptr;
  }

 private:
  std::unique_ptr<sc_core::sc_simcontext> context_;
};

}  // namespace warpfold
