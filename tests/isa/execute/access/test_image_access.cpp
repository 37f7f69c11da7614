// SPDX-License-Identifier: Apache-2.0
// Texture fetches and surface accesses as warps execute them: operands, what is read and written where, faults.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "tests/isa/warp_fixture.h"
#include "warpfold/common/error.h"

namespace warpfold::isa {
namespace image_access_test {

constexpr LaneMask kAll = 0xffffffff;
constexpr std::uint64_t kHandle = 5;
constexpr unsigned kWidth = 16, kHeight = 8, kPitch = 128;
constexpr Word kBase = 8;  // registers 8 and 9 hold the handle

// An image of 16 x 8 words in rows of 128 bytes: texture and surface 5.
class ImageAccessTest : public ::testing::Test {
 protected:
  ImageAccessTest() {
    image.begin = warp.memory.allocate(kPitch * kHeight, "texels");
    image.dimensions = 2;
    image.size = {kWidth, kHeight, 1};
    image.row_bytes = kPitch;
    image.kind = ChannelKind::kUnsigned;
    for (unsigned y = 0; y < kHeight; ++y) {
      for (unsigned x = 0; x < kWidth; ++x) poke(x, y, 100 * y + x);
    }
    table.surfaces[kHandle] = image;
    table.textures[kHandle].image = image;
    warp.launch.images = &table;
  }
  Address place(unsigned x, unsigned y) const { return image.begin + y * kPitch + 4 * x; }
  void poke(unsigned x, unsigned y, std::uint32_t value) { warp.memory.write(place(x, y), &value, 4); }
  std::uint32_t peek(unsigned x, unsigned y) {
    std::uint32_t value = 0;
    EXPECT_TRUE(warp.memory.read(place(x, y), &value, 4));
    return value;
  }
  MicroOp& access(Kind kind, const char* text, Space space, std::vector<Word> d, std::vector<Word> s) {
    MicroOp& op = warp.op(kind, text);
    op.space = space;
    op.base = kBase;
    op.element_bytes = 4;
    op.image.dimensions = 2;
    op.d_count = static_cast<std::uint8_t>(d.size());
    op.s_count = static_cast<std::uint8_t>(s.size());
    std::copy(d.begin(), d.end(), op.d.begin());
    std::copy(s.begin(), s.end(), op.s.begin());
    return op;
  }
  void use(std::uint64_t handle) {
    for (unsigned row = 0; row < 2; ++row) {
      for (unsigned lane = 0; lane < 32; ++lane) warp.set_address(row, kBase, lane, handle);
    }
  }
  // Register 0: x, register 1: y.
  void start() {
    warp.start();
    use(kHandle);
    for (unsigned row = 0; row < 2; ++row) {
      for (unsigned lane = 0; lane < 32; ++lane) {
        warp.at(row, 0, lane) = lane % kWidth;
        warp.at(row, 1, lane) = lane / kWidth + 2 * row;
      }
    }
  }
  std::string fault(Pc pc) {
    try {
      warp.run(pc, 0, kAll);
    } catch (const UserError& error) {
      return error.what();
    }
    return "no fault";
  }
  WarpFixture warp{Dim3{64, 1, 1}};
  Image image;
  ImageTable table;
};

TEST_F(ImageAccessTest, FetchesGoToTheWordsOfTheirCoordinates) {
  access(Kind::kLoad, "tex.2d.v4.u32.s32", Space::kTexture, {0, 1, 2, kNoWord}, {0, 1});
  start();
  warp.run(0, 0, kAll);
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(warp.at(0, 0, lane), 100 * (lane / 16) + lane % 16);
    EXPECT_EQ(warp.at(0, 1, lane), 0u);
  }
  EXPECT_EQ(warp.outcome.space, Space::kTexture);
  ASSERT_EQ(warp.outcome.texels.size(), 32u);
  EXPECT_EQ(warp.outcome.texels[17].address, place(1, 1));
  EXPECT_EQ(warp.outcome.texels[17].bytes, 4u);
}

TEST_F(ImageAccessTest, OnlyLanesThatExecuteFetchFromWhateverRow) {
  access(Kind::kLoad, "tex.2d.v4.u32.s32", Space::kTexture, {4, kNoWord, kNoWord, 5}, {0, 1}).guard =
      WarpFixture::kPredicate;
  start();
  std::vector<std::uint16_t> rows(32);
  for (unsigned lane = 0; lane < 32; ++lane) {
    rows[lane] = lane % 3 == 0 ? 1 : 0;
    for (unsigned row = 0; row < 2; ++row) {
      warp.at(row, 4, lane) = 77;
      warp.at(row, WarpFixture::kPredicate, lane) = lane % 5 != 0;
    }
  }
  warp.run_compacted(0, rows, 0xffff);
  for (unsigned lane = 0; lane < 32; ++lane) {
    const bool runs = lane < 16 && lane % 5 != 0;
    const unsigned row = rows[lane];
    EXPECT_EQ(warp.at(row, 4, lane), runs ? 100 * 2 * row + lane : 77) << lane;
    EXPECT_EQ(warp.at(row, 5, lane), runs ? 1u : 0u) << lane;
    EXPECT_EQ(warp.at(1 - row, 4, lane), 77u) << lane;
  }
  EXPECT_EQ(warp.outcome.texels.size(), 12u);
}

TEST_F(ImageAccessTest, OffsetsFollowTheCoordinates) {
  MicroOp& op = access(Kind::kLoad, "tex.2d.v4.u32.s32", Space::kTexture, {4}, {0, 1, 2, 3});
  op.offset = 1;
  start();
  for (unsigned lane = 0; lane < 32; ++lane) {
    warp.at(0, 0, lane) = 5;
    warp.at(0, 1, lane) = 3;
    warp.at(0, 2, lane) = lane % 8 - 4;
    warp.at(0, 3, lane) = 2 - lane / 8;
  }
  warp.run(0, 0, kAll);
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(warp.at(0, 4, lane), 100 * (3 + 2 - lane / 8) + 5 + lane % 8 - 4) << lane;
  }
  EXPECT_EQ(warp.outcome.texels[9].address, place(2, 4));
}

TEST_F(ImageAccessTest, ALinearFetchIn2DReadsFourTexels) {
  access(Kind::kLoad, "tex.2d.v4.f32.f32", Space::kTexture, {4, 5, 6, 7}, {0, 1}).image.float_coordinates = true;
  image.kind = ChannelKind::kFloat;
  table.textures[kHandle].image = image;
  table.textures[kHandle].linear_filter = true;
  start();
  const float value = 8;
  for (unsigned lane = 0; lane < 32; ++lane) {
    poke(lane % 16, lane / 16, std::bit_cast<std::uint32_t>(value));
    warp.at(0, 0, lane) = std::bit_cast<std::uint32_t>(static_cast<float>(lane % 16));
    warp.at(0, 1, lane) = std::bit_cast<std::uint32_t>(1.0F);
  }
  warp.run(0, 0, kAll);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(std::bit_cast<float>(warp.at(0, 4, lane)), value);
  ASSERT_EQ(warp.outcome.texels.size(), 128u);
  EXPECT_EQ(warp.outcome.texels[4 * 3].address, place(2, 0));
  EXPECT_EQ(warp.outcome.texels[4 * 3 + 3].address, place(3, 1));
}

TEST_F(ImageAccessTest, SurfacesAreReadAndWrittenByBytes) {
  access(Kind::kStore, "sust.b.2d.v2.b32.trap", Space::kGlobal, {}, {0, 1, 2, 3});
  access(Kind::kLoad, "suld.b.2d.v2.b32.trap", Space::kGlobal, {4, 5}, {0, 1});
  MicroOp& bytes = access(Kind::kLoad, "suld.b.2d.b8.trap", Space::kGlobal, {6}, {0, 1});
  bytes.element_bytes = 1;
  start();
  for (unsigned lane = 0; lane < 32; ++lane) {
    warp.at(0, 0, lane) = lane % 8 * 8;
    warp.at(0, 1, lane) = lane / 8 + 4;
    warp.at(0, 2, lane) = 0x11110000 + lane;
    warp.at(0, 3, lane) = 0x22220000 + lane;
  }
  const std::uint64_t changes = warp.executor->memory_changes();
  warp.run(0, 0, 0x0fffffff);
  EXPECT_GT(warp.executor->memory_changes(), changes);
  EXPECT_EQ(warp.outcome.space, Space::kGlobal);
  EXPECT_EQ(warp.outcome.texels.size(), 28u);
  EXPECT_EQ(warp.outcome.texels[0].bytes, 8u);
  EXPECT_EQ(peek(2, 4), 0x11110001u);
  EXPECT_EQ(peek(7, 5), 0x2222000bu);
  EXPECT_EQ(peek(8, 7), 100u * 7 + 8) << "of a lane that did not execute";
  warp.run(1, 0, kAll);
  EXPECT_EQ(warp.at(0, 4, 27), 0x1111001bu);
  EXPECT_EQ(warp.at(0, 5, 27), 0x2222001bu);
  for (unsigned lane = 0; lane < 32; ++lane) warp.at(0, 0, lane) = 2;
  warp.run(2, 0, kAll);
  EXPECT_EQ(warp.at(0, 6, 0), 0x11u);
}

TEST_F(ImageAccessTest, ElementsOf64BitsHaveTwoWords) {
  MicroOp& store = access(Kind::kStore, "sust.b.2d.b64.trap", Space::kGlobal, {}, {0, 1, 2});
  store.element_bytes = 8;
  store.s_wide = 0b100;
  MicroOp& load = access(Kind::kLoad, "suld.b.2d.b64.trap", Space::kGlobal, {4}, {0, 1});
  load.element_bytes = 8;
  load.d_wide = 1;
  start();
  for (unsigned lane = 0; lane < 32; ++lane) {
    warp.at(0, 0, lane) = 8;
    warp.at(0, 1, lane) = 3;
    warp.at(0, 2, lane) = 0x89abcdef;
    warp.at(0, 3, lane) = 0x01234567;
  }
  warp.run(0, 0, 1);
  warp.run(1, 0, 2);
  EXPECT_EQ(warp.at(0, 4, 1), 0x89abcdefu);
  EXPECT_EQ(warp.at(0, 5, 1), 0x01234567u);
}

TEST_F(ImageAccessTest, OutsideOfASurface) {
  using Outside = ImageAccess::Outside;
  access(Kind::kLoad, "suld.b.2d.b32.zero", Space::kGlobal, {4}, {0, 1}).image.outside = Outside::kZero;
  access(Kind::kLoad, "suld.b.2d.b32.clamp", Space::kGlobal, {4}, {0, 1}).image.outside = Outside::kClamp;
  access(Kind::kStore, "sust.b.2d.b32.zero", Space::kGlobal, {}, {0, 1, 2}).image.outside = Outside::kZero;
  access(Kind::kLoad, "suld.b.2d.b32.trap", Space::kGlobal, {4}, {0, 1});
  start();
  for (unsigned lane = 0; lane < 32; ++lane) {
    warp.at(0, 0, lane) = lane == 0 ? static_cast<std::uint32_t>(-4) : 64;
    warp.at(0, 1, lane) = lane == 2 ? 8 : 1;
    warp.at(0, 2, lane) = 5;
    warp.at(0, 4, lane) = 77;
  }
  warp.run(0, 0, 7);
  for (unsigned lane = 0; lane < 3; ++lane) EXPECT_EQ(warp.at(0, 4, lane), 0u);
  EXPECT_TRUE(warp.outcome.texels.empty());
  warp.run(1, 0, 7);
  EXPECT_EQ(warp.at(0, 4, 0), 100u);
  EXPECT_EQ(warp.at(0, 4, 1), 115u);
  EXPECT_EQ(warp.at(0, 4, 2), 715u);
  EXPECT_EQ(warp.outcome.texels.size(), 3u);
  warp.run(2, 0, 7);
  EXPECT_EQ(peek(0, 1), 100u);
  EXPECT_EQ(peek(15, 1), 115u);
  EXPECT_EQ(fault(3),
            "kernel 'k': k.ptx:44: suld.b.2d.b32.trap: thread (0,0,0) of block (0,0,0) accesses 4 bytes at byte -4, "
            "row 1, slice 0 of a surface of 64 bytes, 8 rows, 1 slices");
}

TEST_F(ImageAccessTest, MisalignedElementsFault) {
  access(Kind::kLoad, "suld.b.2d.b32.trap", Space::kGlobal, {4}, {0, 1});
  start();
  warp.at(0, 0, 3) = 6;
  warp.at(0, 0, 1) = warp.at(0, 0, 2) = 4;
  EXPECT_EQ(
      fault(0),
      "kernel 'k': k.ptx:41: suld.b.2d.b32.trap: thread (3,0,0) of block (0,0,0) accesses 4 bytes of a surface at "
      "byte 6 of its row, no multiple of 4");
}

TEST_F(ImageAccessTest, HandlesThatStandForNothing) {
  access(Kind::kLoad, "tex.2d.v4.u32.s32", Space::kTexture, {4, 5, 6, 7}, {0, 1});
  access(Kind::kLoad, "suld.b.2d.b32.trap", Space::kGlobal, {4}, {0, 1});
  const std::string thread = ": thread (0,0,0) of block (0,0,0) ";
  const std::string tex = "kernel 'k': k.ptx:41: tex.2d.v4.u32.s32" + thread;
  const std::string suld = "kernel 'k': k.ptx:42: suld.b.2d.b32.trap" + thread;
  start();
  use(99);
  EXPECT_EQ(fault(0), tex + "fetches through 0x63, no texture object");
  EXPECT_EQ(fault(1), suld + "accesses 0x63, no surface object");
  use(warp.memory.allocate(8, "colours"));
  EXPECT_EQ(fault(0), tex + "fetches through texture 'colours', which is bound to nothing");
  EXPECT_EQ(fault(1), suld + "accesses surface 'colours', which is bound to nothing");
  warp.launch.images = nullptr;
  use(kHandle);
  EXPECT_EQ(fault(0), tex + "fetches through 0x5, no texture object");
}

TEST_F(ImageAccessTest, MemoryThatIsFreedAndShapesThatDiffer) {
  access(Kind::kLoad, "tex.3d.v4.u32.s32", Space::kTexture, {4, 5, 6, 7}, {0, 1, 2}).image.dimensions = 3;
  access(Kind::kLoad, "tex.1d.v4.u32.s32", Space::kTexture, {4, 5, 6, 7}, {0}).image.dimensions = 1;
  MicroOp& layered = access(Kind::kLoad, "tex.a1d.v4.u32.s32", Space::kTexture, {4, 5, 6, 7}, {0, 1});
  layered.image.dimensions = 1;
  layered.image.layered = true;
  start();
  EXPECT_EQ(fault(0), "no fault") << "one slice";
  EXPECT_NE(fault(1).find("fetches in 1 dimensions without layers, which is not what the texture has"),
            std::string::npos);
  EXPECT_NE(fault(2).find("fetches in 1 dimensions with layers, which is not what the texture has"), std::string::npos);
  warp.memory.release(image.begin);
  start();
  EXPECT_NE(fault(0).find("uses the texture or surface 0x5, whose memory"), std::string::npos);
}

// Of a texture over managed memory.
TEST_F(ImageAccessTest, TexelsThatTheHostHasTooLieElsewhereOnTheMachine) {
  table.textures[kHandle].image.begin = image.begin = warp.memory.allocate_shared(kPitch * kHeight, "shared texels");
  access(Kind::kLoad, "2d", Space::kTexture, {4}, {0, 1});
  start();
  warp.run(0, 0, 1U << 9);
  ASSERT_EQ(warp.outcome.texels.size(), 1U);
  EXPECT_EQ(warp.outcome.texels[0].address, warp.memory.on_machine(place(9 % kWidth, 9 / kWidth)));
  EXPECT_NE(warp.outcome.texels[0].address, place(9 % kWidth, 9 / kWidth));
}

TEST_F(ImageAccessTest, LayersComeFirst) {
  image.dimensions = 1;
  image.size = {kWidth, 1, 1};
  image.layers = kHeight;
  image.slice_bytes = kPitch;
  table.surfaces[kHandle] = image;
  table.textures[kHandle].image = image;
  for (const bool surface : {false, true}) {
    MicroOp& op = access(Kind::kLoad, "a1d", surface ? Space::kGlobal : Space::kTexture, {4}, {1, 0});
    op.image.dimensions = 1;
    op.image.layered = true;
  }
  start();
  for (const Pc pc : {0U, 1U}) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      warp.at(0, 0, lane) = pc == 0 ? 3 : 12;
      warp.at(0, 1, lane) = 6;
      warp.at(0, 4, lane) = 0;
    }
    warp.run(pc, 0, kAll);
    EXPECT_EQ(warp.at(0, 4, 9), 603u) << pc;
  }
}

TEST_F(ImageAccessTest, QueriesReadNoTexel) {
  using Query = ImageAccess::Query;
  const auto ask = [&](Query query, Space space) {
    MicroOp& op = access(Kind::kLoad, "txq", space, {4}, {});
    op.image.query = query;
  };
  const std::vector<std::pair<Query, std::uint32_t>> answers{
      {Query::kWidth, kWidth},       {Query::kHeight, kHeight},         {Query::kDepth, 1},
      {Query::kArraySize, 0},        {Query::kChannelDataType, 0x10dc}, {Query::kChannelOrder, 0x10b0},
      {Query::kNormalizedCoords, 0}, {Query::kMipmapLevels, 1},         {Query::kSamples, 1}};
  for (const auto& [query, answer] : answers) ask(query, Space::kTexture);
  ask(Query::kHeight, Space::kGlobal);
  start();
  for (Pc pc = 0; pc < answers.size(); ++pc) {
    warp.run(pc, 0, 2);
    EXPECT_EQ(warp.at(0, 4, 1), answers[pc].second) << pc;
    EXPECT_TRUE(warp.outcome.texels.empty());
  }
  warp.run(static_cast<Pc>(answers.size()), 0, 2);
  EXPECT_EQ(warp.at(0, 4, 1), kHeight);
  table.textures[kHandle].normalized_values = true;
  table.textures[kHandle].image.channel_bytes = 1;
  warp.run(4, 0, 2);
  EXPECT_EQ(warp.at(0, 4, 1), 0x10d2U) << "fractions of eight bits";
}

// x counts texels, and numbers become what the surface holds.
TEST_F(ImageAccessTest, FormattedStores) {
  access(Kind::kStore, "sust.p.2d.v2.b32.trap", Space::kGlobal, {}, {0, 1, 2, 3}).image.formatted = true;
  image.channels = 2;
  image.channel_bytes = 2;
  const auto stored = [&](ChannelKind kind, std::uint32_t first, std::uint32_t second) {
    image.kind = kind;
    table.surfaces[kHandle] = image;
    start();
    warp.at(0, 0, 3) = 5, warp.at(0, 1, 3) = 2, warp.at(0, 2, 3) = first, warp.at(0, 3, 3) = second;
    warp.run(0, 0, 8);
    return peek(5, 2);
  };
  EXPECT_EQ(stored(ChannelKind::kUnsigned, 17, 70000), 0xffff0011U);
  EXPECT_EQ(stored(ChannelKind::kSigned, 0xffffffff, 0x80000000), 0x8000ffffU);
  EXPECT_EQ(stored(ChannelKind::kFloat, std::bit_cast<std::uint32_t>(1.0F), std::bit_cast<std::uint32_t>(-2.0F)),
            0xc0003c00U);
  ASSERT_EQ(warp.outcome.texels.size(), 1U);
  EXPECT_EQ(warp.outcome.texels[0].bytes, 4U);
  EXPECT_EQ(warp.outcome.texels[0].address, place(5, 2));
}

template <class T>
std::uint64_t reduced_by(Atomic atomic, std::uint64_t there, std::uint64_t value) {
  const T a = static_cast<T>(there), b = static_cast<T>(value);
  if (atomic == Atomic::kAdd) return there + value;
  if (atomic == Atomic::kAnd) return there & value;
  if (atomic == Atomic::kOr) return there | value;
  return static_cast<std::uint64_t>(atomic == Atomic::kMin ? std::min(a, b) : std::max(a, b));
}

// Lanes of one texel come one after the other.
TEST_F(ImageAccessTest, ReductionsAreThoseOfAllLanes) {
  struct Case {
    Atomic atomic;
    char type;
    unsigned bytes;
    bool formatted;
    ChannelKind kind = ChannelKind::kUnsigned;
  };
  std::vector<Case> cases;
  for (const Atomic atomic : {Atomic::kAdd, Atomic::kMin, Atomic::kMax}) {
    for (const unsigned bytes : {4U, 8U}) {
      for (const char type : {'u', 's'}) cases.push_back({atomic, type, bytes, false});
      cases.push_back({atomic, 'b', bytes, true, ChannelKind::kUnsigned});
      cases.push_back({atomic, 'b', bytes, true, ChannelKind::kSigned});
    }
  }
  cases.push_back({Atomic::kAnd, 'b', 4, false});
  cases.push_back({Atomic::kOr, 'b', 4, false});
  cases.push_back({Atomic::kOr, 'b', 4, true});
  for (const Case& c : cases) {
    MicroOp& op = access(Kind::kAtomic, "sured", Space::kGlobal, {}, {0, 1, 2});
    op.atomic = c.atomic;
    op.element_type = static_cast<std::uint8_t>(c.type);
    op.element_bytes = static_cast<std::uint8_t>(c.bytes);
    op.image.formatted = c.formatted;
    op.s_wide = c.bytes == 8 ? 4 : 0;
  }
  for (Pc pc = 0; pc < cases.size(); ++pc) {
    const Case& c = cases[pc];
    const bool is_signed = c.formatted ? c.kind == ChannelKind::kSigned : c.type == 's';
    const auto reduced = [&](std::uint64_t there, std::uint64_t value) {
      if (c.bytes == 8)
        return is_signed ? reduced_by<std::int64_t>(c.atomic, there, value)
                         : reduced_by<std::uint64_t>(c.atomic, there, value);
      return is_signed ? reduced_by<std::int32_t>(c.atomic, there, value)
                       : reduced_by<std::uint32_t>(c.atomic, there, value);
    };
    image.kind = c.kind;
    image.channels = static_cast<std::uint8_t>(c.bytes / 4);
    image.size[0] = kWidth * 4 / c.bytes;
    table.surfaces[kHandle] = image;
    start();
    std::array<std::uint64_t, 3> expected{};
    for (unsigned x = 0; x < 3; ++x) {
      const std::uint64_t there = 0x8000000000000003U + 0x7fffffff00000000U * x + 0x70000000U * x;
      warp.memory.write(image.begin + 2 * kPitch + x * c.bytes, &there, c.bytes);
      expected[x] = there;
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned x = lane % 3;
      const std::uint64_t value = 0x9e3779b97f4a7c15 * (lane + 1);
      warp.at(0, 0, lane) = x * (c.formatted ? 1 : c.bytes);
      warp.at(0, 1, lane) = 2;
      warp.at(0, 2, lane) = static_cast<std::uint32_t>(value);
      warp.at(0, 3, lane) = static_cast<std::uint32_t>(value >> 32);
      if (lane != 7) expected[x] = reduced(expected[x], value);
    }
    warp.run(pc, 0, kAll & ~LaneMask{1 << 7});
    for (unsigned x = 0; x < 3; ++x) {
      std::uint64_t got = 0;
      ASSERT_TRUE(warp.memory.read(image.begin + 2 * kPitch + x * c.bytes, &got, c.bytes));
      EXPECT_EQ(got, c.bytes == 8 ? expected[x] : expected[x] & 0xffffffff) << pc << " " << x;
    }
    EXPECT_EQ(warp.outcome.texels.size(), 31U);
    EXPECT_EQ(warp.outcome.texels[1].bytes, c.bytes);
  }
}

TEST_F(ImageAccessTest, ReductionsOutsideAndOfOtherTexels) {
  const auto reduce = [&](ImageAccess::Outside outside, bool formatted) {
    MicroOp& op = access(Kind::kAtomic, "sured.b.add.2d.u32.trap", Space::kGlobal, {}, {0, 1, 2});
    op.element_type = formatted ? 'b' : 'u';
    op.image.outside = outside;
    op.image.formatted = formatted;
  };
  reduce(ImageAccess::Outside::kTrap, false);
  reduce(ImageAccess::Outside::kClamp, false);
  reduce(ImageAccess::Outside::kZero, false);
  reduce(ImageAccess::Outside::kTrap, true);
  const auto at = [&](Pc pc, int x, int y) {
    start();
    warp.at(0, 0, 0) = static_cast<std::uint32_t>(x), warp.at(0, 1, 0) = static_cast<std::uint32_t>(y);
    warp.at(0, 2, 0) = 1000;
    try {
      warp.run(pc, 0, 1);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(at(0, 4 * kWidth, 0).find("accesses 4 bytes at byte 64, row 0"), std::string::npos);
  EXPECT_NE(at(0, 2, 0).find("no multiple of 4"), std::string::npos);
  EXPECT_EQ(at(1, 4 * kWidth, -1), "");
  EXPECT_EQ(peek(kWidth - 1, 0), 1000 + kWidth - 1U);
  EXPECT_EQ(at(2, -4, 0), "");
  EXPECT_EQ(peek(0, 0), 0U);
  EXPECT_EQ(at(3, 3, 1), "");
  EXPECT_EQ(peek(3, 1), 1103U);
  for (const bool half : {false, true}) {
    image.kind = half ? ChannelKind::kUnsigned : ChannelKind::kFloat;
    image.channel_bytes = half ? 2 : 4;
    table.surfaces[kHandle] = image;
    EXPECT_NE(at(3, 3, 1).find("takes texels for integers of 4 bytes, which they are not"), std::string::npos) << half;
  }
}

}  // namespace image_access_test
}  // namespace warpfold::isa
