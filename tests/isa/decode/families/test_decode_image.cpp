// SPDX-License-Identifier: Apache-2.0
// Texture and surface instructions as clang and nvcc write them, and what is refused of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/isa/ptx_fixture.h"

namespace warpfold::isa {
namespace decode_image_test {

const std::string kVariables = ".visible .global .texref tf;\n.global .surfref sf;\n";

std::string module_of(const std::string& body) {
  std::string text = kernel_text(body + "\nret;");
  text.insert(text.find(".visible .entry"), kVariables);
  return text;
}

MicroOp first_op(const std::string& body) {
  PtxFixture fixture(module_of(body));
  return fixture.kernel().ops.at(0);
}

TEST(DecodeImage, Fetches) {
  struct Case {
    const char* text;
    unsigned dimensions;
    bool layered, floats;
    unsigned sources;
    bool cube = false;
  };
  for (const Case& c :
       {Case{"tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];", 1, false, false, 1},
        Case{"tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, %r1];", 1, false, false, 1},
        Case{"tex.1d.v4.s32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%f5}];", 1, false, true, 1},
        Case{"tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r2, %r3, %r4}];", 1, false, false, 1},
        Case{"tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, 0f00000000}];", 1, false, true, 1},
        Case{"tex.2d.v4.u32.f32 {%r1, _, _, %r4}, [%rd1, {%f5, %f6}];", 2, false, true, 2},
        Case{"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6, %f7, %r1}];", 2, false, true, 2},
        Case{"tex.a1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %f5, %f6, %f6}];", 1, true, true, 2},
        Case{"tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6, %f7, %f7}];", 3, false, true, 3},
        Case{"tex.a1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %f5}];", 1, true, true, 2},
        Case{"tex.a2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %f5, %f6, %f6}];", 2, true, true, 3},
        Case{"tex.base.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];", 2, false, true, 2},
        Case{"tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], {%f7, %f7}, {%f7, 0f00000000};", 2,
             false, true, 2},
        Case{"tex.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6, %f7, %f7}];", 2, false, true, 3, true},
        Case{"tex.acube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %f5, %f6, %f7}];", 2, true, true, 4, true},
        Case{"tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], %f7;", 2, false, true, 3}}) {
    const MicroOp op = first_op(c.text);
    EXPECT_EQ(op.kind, Kind::kLoad) << c.text;
    EXPECT_EQ(op.space, Space::kTexture) << c.text;
    EXPECT_EQ(op.unit, Unit::kMemory) << c.text;
    EXPECT_EQ(op.image.dimensions, c.dimensions) << c.text;
    EXPECT_EQ(op.image.layered, c.layered) << c.text;
    EXPECT_EQ(op.image.cube, c.cube) << c.text;
    EXPECT_EQ(op.image.gathers, 0) << c.text;
    EXPECT_EQ(op.image.float_coordinates, c.floats) << c.text;
    EXPECT_EQ(op.d_count, 4) << c.text;
    EXPECT_EQ(op.s_count, c.sources) << c.text;
    EXPECT_EQ(op.d_wide, 0) << c.text;
    EXPECT_NE(op.base, kNoWord) << c.text;
    EXPECT_EQ(op.reads.size(), 2 + c.sources) << c.text;
  }
  const MicroOp some = first_op("tex.2d.v4.u32.f32 {%r1, _, _, %r4}, [%rd1, {%f5, %f6}];");
  EXPECT_EQ(some.d[1], kNoWord);
  EXPECT_EQ(some.writes.size(), 2u);
}

TEST(DecodeImage, AReferencesHandleIsTheAddressOfItsVariable) {
  for (const char* body :
       {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tf, {%f5, %f6}];", "sust.b.1d.b32.trap [sf, {%r1}], {%r2};"}) {
    PtxFixture fixture(module_of(body));
    const Kernel& kernel = fixture.kernel();
    const Word base = kernel.ops[0].base;
    ASSERT_GE(base, kConstant);
    const std::uint64_t handle =
        std::uint64_t{kernel.constants.at(base - kConstant + 1U)} << 32 | kernel.constants.at(base - kConstant);
    const bool is_texture = kernel.ops[0].kind == Kind::kLoad;
    EXPECT_EQ(handle, fixture.program.symbol(is_texture ? "tf" : "sf")->address);
  }
}

TEST(DecodeImage, SurfaceAccesses) {
  using Outside = ImageAccess::Outside;
  const MicroOp load = first_op("suld.b.2d.v2.b16.clamp {%rs1, %rs2}, [%rd1, {%r1, %r2}];");
  EXPECT_EQ(load.kind, Kind::kLoad);
  EXPECT_EQ(load.space, Space::kGlobal);
  EXPECT_EQ(load.element_bytes, 2);
  EXPECT_EQ(load.d_count, 2);
  EXPECT_EQ(load.s_count, 2);
  EXPECT_EQ(load.image.outside, Outside::kClamp);
  EXPECT_FALSE(load.image.float_coordinates);

  const MicroOp store = first_op("sust.b.3d.v4.b32.zero [%rd1, {%r1, %r2, %r3, %r3}], {%r4, %r5, %r6, %r7};");
  EXPECT_EQ(store.kind, Kind::kStore);
  EXPECT_EQ(store.s_count, 7);
  EXPECT_EQ(store.d_count, 0);
  EXPECT_EQ(store.image.outside, Outside::kZero);
  EXPECT_EQ(store.reads.size(), 9u);

  const MicroOp wide = first_op("sust.b.a2d.v2.b64.trap [%rd1, {%r1, %r2, %r3, %r3}], {%rd2, %rd3};");
  EXPECT_EQ(wide.element_bytes, 8);
  EXPECT_EQ(wide.s_count, 5);
  EXPECT_EQ(wide.s_wide, 0b11000);
  EXPECT_EQ(wide.image.outside, Outside::kTrap);

  const MicroOp byte = first_op("suld.b.1d.cg.b8.trap {%rs1}, [%rd1, {%r1}];");
  EXPECT_EQ(byte.element_bytes, 1);
}

TEST(DecodeImage, Gathers) {
  for (unsigned channel = 0; channel < 4; ++channel) {
    const MicroOp op =
        first_op(fmt::format("tld4.{}.2d.v4.u32.f32 {{%r1, %r2, %r3, %r4}}, [%rd1, {{%f5, %f6}}];", "rgba"[channel]));
    EXPECT_EQ(op.space, Space::kTexture);
    EXPECT_EQ(op.image.gathers, 1 + channel);
    EXPECT_EQ(op.s_count, 2);
  }
  EXPECT_TRUE(first_op("tld4.g.acube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tf, {%r1, %f5, %f6, %f7}];").image.cube);
}

TEST(DecodeImage, Offsets) {
  const MicroOp both = first_op("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tf, {%f5, %f6}], {%r1, -2};");
  EXPECT_EQ(both.offset, 1);
  EXPECT_EQ(both.s_count, 4);
  EXPECT_EQ(first_op("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tf, {%f5, %f6}];").offset, 0);
  for (const auto& [body, sources] : std::vector<std::pair<const char*, unsigned>>{
           {"tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [tf, {%r1}], %r2;", 2},
           {"tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [tf, {%r1}], {3};", 2},
           {"tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tf, {%f5, %f6}], %f7, {%r1, %r2, %r3, %r3};", 5},
           {"tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tf, {%f5, %f6}], {%f7, %f7}, {%f7, %f7}, {%r1, %r2};", 4},
           {"tex.a2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tf, {%r1, %f5, %f6, %f6}], {%r2, %r3};", 5},
           {"tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tf, {%f5, %f6, %f7, %f7}], {%r1, %r2, %r3, %r3};", 6},
           {"tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tf, {%f5, %f6}], {%r1, %r2};", 4}}) {
    EXPECT_EQ(first_op(body).offset, 1) << body;
    EXPECT_EQ(first_op(body).s_count, sources) << body;
  }
}

TEST(DecodeImage, Queries) {
  using Query = ImageAccess::Query;
  const MicroOp width = first_op("txq.width.b32 %r1, [%rd1];");
  EXPECT_EQ(width.kind, Kind::kLoad);
  EXPECT_EQ(width.space, Space::kTexture);
  EXPECT_EQ(width.image.query, Query::kWidth);
  EXPECT_EQ(width.image.coordinates(), 0U);
  EXPECT_EQ(width.d_count, 1);
  EXPECT_EQ(width.reads.size(), 2U);
  EXPECT_EQ(first_op("txq.level.height.b32 %r1, [tf], %r2;").image.query, Query::kHeight);
  const MicroOp order = first_op("suq.channel_order.b32 %r1, [sf];");
  EXPECT_EQ(order.space, Space::kGlobal);
  EXPECT_EQ(order.image.query, Query::kChannelOrder);
}

TEST(DecodeImage, FormattedStores) {
  const MicroOp store = first_op("sust.p.2d.v4.b32.trap [%rd1, {%r1, %r2}], {%r4, %r5, %r6, %r7};");
  EXPECT_TRUE(store.image.formatted);
  EXPECT_EQ(store.s_count, 6);
  EXPECT_FALSE(first_op("sust.b.2d.v4.b32.trap [%rd1, {%r1, %r2}], {%r4, %r5, %r6, %r7};").image.formatted);
}

TEST(DecodeImage, Reductions) {
  const MicroOp add = first_op("sured.b.add.2d.u32.clamp [%rd1, {%r1, %r2}], %r3;");
  EXPECT_EQ(add.kind, Kind::kAtomic);
  EXPECT_EQ(add.atomic, Atomic::kAdd);
  EXPECT_EQ(add.element_type, 'u');
  EXPECT_EQ(add.element_bytes, 4);
  EXPECT_EQ(add.s_count, 3);
  EXPECT_EQ(add.d_count, 0);
  EXPECT_EQ(add.image.outside, ImageAccess::Outside::kClamp);
  EXPECT_FALSE(add.image.formatted);
  const MicroOp least = first_op("sured.b.min.3d.s64.zero [sf, {%r1, %r2, %r3, %r3}], %rd2;");
  EXPECT_EQ(least.atomic, Atomic::kMin);
  EXPECT_EQ(least.element_type, 's');
  EXPECT_EQ(least.element_bytes, 8);
  EXPECT_EQ(least.s_wide, 0b1000);
  const MicroOp most = first_op("sured.p.max.1d.b64.trap [sf, {%r1}], %rd2;");
  EXPECT_EQ(most.element_type, 'b');
  EXPECT_TRUE(most.image.formatted);
  for (const char* body :
       {"sured.b.add.1d.s32.trap [sf, {%r1}], %r2;", "sured.b.add.1d.u64.trap [sf, {%r1}], %rd2;",
        "sured.b.max.1d.u64.trap [sf, 5], 3;", "sured.b.or.1d.b32.trap [sf, {%r1}], %r2;",
        "sured.p.add.2d.b32.zero [%rd1, {%r1, %r2}], %r3;", "sured.p.and.1d.b32.clamp [sf, {%r1}], %r2;"}) {
    EXPECT_EQ(first_op(body).kind, Kind::kAtomic) << body;
  }
}

TEST(DecodeImage, WhatIsRefused) {
  for (const char* body :
       {"tex.cube.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r2, %r3, %r3}];",
        "tex.2dms.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r2, %r3, %r3}];",
        "tld4.r.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6, %f7, %f7}];",
        "tld4.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];",
        "tld4.r.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r2}];",
        "sust.b.cube.b32.trap [%rd1, {%r1, %r2, %r3, %r3}], %r4;",
        "sust.p.2d.v2.b16.trap [%rd1, {%r1, %r2}], {%rs1, %rs2};",
        "tex.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tf, {%f5, %f6, %f7, %f7}], {%r1, %r2, %r3, %r3};",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tf, {%f5, %f6}], %f7;",
        "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tf, {%f5}], %f7;",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tf, {%f5, %f6}], {%r1, %r2}, %f7;",
        "tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tf, {%f5, %f6, %f7, %f7}], {%r1, %r2};",
        "sured.b.add.1d.b32.trap [sf, {%r1}], %r2;",
        "sured.b.add.1d.s64.trap [sf, {%r1}], %rd2;",
        "sured.b.and.1d.u32.trap [sf, {%r1}], %r2;",
        "sured.b.or.1d.b64.trap [sf, {%r1}], %rd2;",
        "sured.b.min.1d.u16.trap [sf, {%r1}], %rs2;",
        "sured.b.xor.1d.b32.trap [sf, {%r1}], %r2;",
        "sured.b.add.a1d.u32.trap [sf, {%r1, %r2}], %r2;",
        "sured.b.add.1d.v2.u32.trap [sf, {%r1}], {%r2, %r3};",
        "sured.p.add.1d.u32.trap [sf, {%r1}], %r2;",
        "sured.p.add.1d.b64.trap [sf, {%r1}], %rd2;",
        "sured.add.1d.u32.trap [sf, {%r1}], %r2;",
        "sured.b.1d.u32.trap [sf, {%r1}], %r2;",
        "sured.b.add.1d.u32.trap [sf, {%r1}];",
        "sust.b.add.1d.b32.trap [sf, {%r1}], %r2;",
        "txq.filter_mode.b32 %r1, [%rd1];",
        "txq.width.b32 %r1, [%rd1+4];",
        "suq.memory_layout.b32 %r1, [%rd1];",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, %rd2, {%f5, %f6}];",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5}];",
        "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6, %f7}];",
        "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6, %f7, %f5, %f5}];",
        "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %rd2}];",
        "tex.2d.v4.f64.f32 {%fd1, %fd2, %fd3, %fd4}, [%rd1, {%f5, %f6}];",
        "tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], {%f7, %f7};",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3}, [%rd1, {%f5, %f6}];",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1];",
        "sust.b.2d.v4.b64.trap [%rd1, {%r1, %r2}], {%rd4, %rd5, %rd6, %rd7};",
        "suld.b.2d.v2.b32.trap {%r1}, [%rd1, {%r1, %r2}];"}) {
    const std::string error = decode_error(module_of(body));
    EXPECT_EQ(error.rfind("kernel 'k': t.ptx:15: unsupported instruction", 0), 0u) << body << "\n" << error;
  }
}

// Thirteen values are live where there are eight registers: at least five of the seven that the store needs come back
// from memory right before it, so one at least behind the fourth source.
TEST(DecodeImage, EverySourceMayBeSpilled) {
  std::string body;
  for (unsigned r = 1; r <= 7; ++r) body += fmt::format("ld.shared.u32 %r{}, [box+{}];\n", r, 4 * r);
  for (unsigned r = 8; r <= 13; ++r) body += fmt::format("ld.volatile.shared.u32 %r{}, [box+{}];\n", r, 4 * r - 32);
  for (unsigned r = 9; r <= 13; ++r) body += fmt::format("add.u32 %r8, %r8, %r{};\n", r);
  body += "st.shared.u32 [box], %r8;\nsust.b.3d.v4.b32.zero [sf, {%r1, %r2, %r3, %r3}], {%r4, %r5, %r6, %r7};";
  PtxFixture fixture(module_of(body), {.registers = {.per_thread = 8}});
  const Kernel& kernel = fixture.kernel();
  EXPECT_EQ(kernel.registers, 8);
  const auto store =
      std::find_if(kernel.ops.begin(), kernel.ops.end(), [](const MicroOp& op) { return op.image.dimensions != 0; });
  ASSERT_NE(store, kernel.ops.end());
  std::vector<Word> loaded;
  for (auto op = store; op != kernel.ops.begin() && (op - 1)->spill && (op - 1)->kind == Kind::kLoad; --op) {
    loaded.push_back((op - 1)->d[0]);
  }
  EXPECT_GE(loaded.size(), 5u);
  for (const Word word : loaded) {
    EXPECT_NE(std::find(store->s.begin(), store->s.begin() + 7, word), store->s.begin() + 7) << word;
  }
  EXPECT_EQ(store->reads.size(), 7u) << "all different";
}

}  // namespace decode_image_test
}  // namespace warpfold::isa
