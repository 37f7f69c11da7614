// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), for names that stand for contents.
#pragma once

#include <nettle/sha2.h>

#include <string>
#include <string_view>

namespace warpfold {

class Sha256 {
 public:
  Sha256() { sha256_init(&context_); }
  // Only the bytes: whoever adds several texts marks where one ends and the next begins.
  Sha256& update(std::string_view bytes);
  // The contents of a regular file; a UserError names one that is none or cannot be read.
  Sha256& update_file(const std::string& path);
  // 64 digits, of all bytes so far; more may follow.
  std::string hex() const;

 private:
  sha256_ctx context_;
};

}  // namespace warpfold
