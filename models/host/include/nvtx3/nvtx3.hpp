// SPDX-License-Identifier: Apache-2.0
// The annotations of nvToolsExt.h as C++ objects, which do as little.
#pragma once

#include "../nvToolsExt.h"

namespace nvtx3 {
inline namespace v1 {

struct domain {
  struct global {};
  template <class Domain = global>
  static const domain& get() {
    static const domain only;
    return only;
  }
  operator nvtxDomainHandle_t() const { return nullptr; }
};

struct rgb {
  constexpr rgb(uint8_t r, uint8_t g, uint8_t b) : red(r), green(g), blue(b) {}
  uint8_t red, green, blue;
};
struct argb {
  constexpr argb(uint8_t a, uint8_t r, uint8_t g, uint8_t b) : alpha(a), red(r), green(g), blue(b) {}
  uint8_t alpha, red, green, blue;
};
struct color {
  using value_type = uint32_t;
  constexpr explicit color(value_type) {}
  constexpr color(rgb) {}
  constexpr color(argb) {}
};
struct category {
  constexpr explicit category(uint32_t) {}
};
template <class Domain = domain::global>
struct named_category_in : category {
  named_category_in(uint32_t id, const char*) : category(id) {}
};
using named_category = named_category_in<>;
template <class Domain = domain::global>
struct registered_string_in {
  template <class Text>
  explicit registered_string_in(const Text&) {}
};
using registered_string = registered_string_in<>;
struct payload {
  template <class Number>
  explicit payload(Number) {}
};

// Of a message, a colour, a category and a payload, in any order.
struct event_attributes {
  template <class... Parts>
  explicit event_attributes(const Parts&...) {}
  const nvtxEventAttributes_t* get() const { return &attributes_; }

 private:
  nvtxEventAttributes_t attributes_{};
};

template <class Domain = domain::global>
struct scoped_range_in {
  template <class... Parts>
  explicit scoped_range_in(const Parts&...) {}
  scoped_range_in(const scoped_range_in&) = delete;
  scoped_range_in& operator=(const scoped_range_in&) = delete;
  ~scoped_range_in() {}
};
using scoped_range = scoped_range_in<>;

template <class Domain = domain::global>
struct unique_range_in {
  template <class... Parts>
  explicit unique_range_in(const Parts&...) {}
  unique_range_in(unique_range_in&&) = default;
  unique_range_in& operator=(unique_range_in&&) = default;
  ~unique_range_in() {}
};
using unique_range = unique_range_in<>;

struct range_handle {};

template <class Domain = domain::global, class... Parts>
range_handle start_range_in(const Parts&...) {
  return {};
}
template <class... Parts>
range_handle start_range(const Parts&...) {
  return {};
}
template <class Domain = domain::global>
void end_range_in(range_handle) {}
inline void end_range(range_handle) {}
template <class Domain = domain::global, class... Parts>
void mark_in(const Parts&...) {}
template <class... Parts>
void mark(const Parts&...) {}

}  // namespace v1
}  // namespace nvtx3

#define NVTX3_FUNC_RANGE_IN(Domain) const ::nvtx3::scoped_range_in<Domain> nvtx3_func_range__(__func__)
#define NVTX3_FUNC_RANGE() NVTX3_FUNC_RANGE_IN(::nvtx3::domain::global)
#define NVTX3_FUNC_RANGE_IF_IN(Domain, condition) NVTX3_FUNC_RANGE_IN(Domain)
#define NVTX3_FUNC_RANGE_IF(condition) NVTX3_FUNC_RANGE()
