// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/decode/instruction_table.h"

#include <map>

#include "warpfold/isa/execute/ops/op_table.h"

namespace warpfold::isa {

// clang-format off
const std::vector<InstructionForm>& instruction_forms() {
  static const std::vector<InstructionForm> forms{
      {"ld", "ld{.volatile|.relaxed|.acquire}{.scope}{.space}{.cache}{.nc}{.L2::...}{.v2|.v4}.type d, [a]{.unified}{, policy}", "orders change no value: all are computed at issue; what must see other blocks goes past the L1, and caches do what their operators and priorities say", "ld.acquire.gpu.global.u32 %r1, [%rd1];"},
      {"ld", "ld with .L2::cache_hint", "", "ld.global.L2::cache_hint.v2.u32 {%r1, %r2}, [%rd1], %rd2;"},
      {"ldu", "ldu{.space}{.v2|.v4}.type d, [a]", "", "ldu.global.f32 %f1, [%rd1];"},
      {"st", "st{.volatile|.relaxed|.release}{.scope}{.space}{.cache}{.v2|.v4}.type [a], b{, policy}", "", "st.release.sys.global.u32 [%rd1], %r1;"},
      {"atom", "atom{.order}{.scope}{.space}.op.type d, [a]{.unified}, b{, c}{, policy}", "op: add, min, max, inc, dec, and, or, xor, exch, cas", "atom.acq_rel.gpu.global.cas.b16 %rs1, [%rd1], %rs2, %rs3;"},
      {"atom", "atom{.order}{.scope}{.space}.{exch|cas}.b128 d, [a], b{, c}", "of registers of 128 bits", ".reg .b128 %q<4>; atom.acq_rel.gpu.shared.cas.b128 %q1, [box], %q2, %q3;"},
      {"atom", "atom.add.noftz.{f16|f16x2|bf16|bf16x2}", "", "atom.global.add.noftz.f16x2 %r1, [%rd1], %r2;"},
      {"atom", "atom.{add|min|max}.noftz.{v2|v4|v8}.{f16|bf16}, .{v2|v4}.{f16x2|bf16x2}; atom.add.{v2|v4}.f32", "an atomic for each element; red alike", "atom.global.max.noftz.v2.f16x2 {%r1, %r2}, [%rd1], {%r3, %r4};"},
      {"red", "red{.order}{.scope}{.space}.op.type [a], b{, policy}", "op as of atom, without exch and cas", "red.relaxed.gpu.global.add.f32 [%rd1], %f1;"},
      {"bra", "bra{.uni} label", "", "bra.uni L; L:"},
      {"brx", "brx.idx{.uni} index, table", "a binary search", "T: .branchtargets L; brx.idx %r1, T; L:"},
      {"call", "call{.uni} (returns), function or pointer, (arguments){, prototype}", "a copy of the body for each call; arguments and results are variables or registers, arguments also constants; docs/cuda.md", "{ .param .b64 a; st.param.b64 [a], %rd1; .param .b32 b; call (b), f, (a); }"},
      {"ret", "ret{.uni}", "", "ret;"},
      {"exit", "exit", "", "exit;"},
      {"trap", "trap", "ends the launch with an error", "trap;"},
      {"brkpt", "brkpt", "as trap: nobody debugs", "brkpt;"},
      {"bar", "bar{.cta}.sync{.aligned} a{, threads}; barrier.… alike", "16 barriers a block, a and threads in registers too", "bar.sync 3, 64;"},
      {"bar", "bar.arrive a, threads", "", "barrier.cta.arrive.aligned %r1, 64;"},
      {"bar", "bar.red.popc.u32 d, a{, threads}, {!}p; bar.red.{and|or}.pred", "", "bar.red.and.pred %p1, 2, 64, !%p2;"},
      {"bar", "bar.warp.sync membermask", "", "bar.warp.sync -1;"},
      {"membar", "membar.{cta|gl|sys}", "nothing to do: memory has one order", "membar.gl;"},
      {"fence", "fence{.sc|.acq_rel|.proxy...}.scope", "nothing to do", "fence.acq_rel.gpu;"},
      {"nanosleep", "nanosleep.u32 t", "takes an issue slot, not t", "nanosleep.u32 100;"},
      {"prefetch", "prefetch{.space}.level [a]; prefetchu.L1 [a]", "a load of a byte that nobody waits for; where the program has no memory, nothing", "prefetch.global.L2 [%rd1];"},
      {"discard", "discard, applypriority, pmevent, setmaxnreg, griddepcontrol", "nothing to do", "pmevent 3;"},
      {"vote", "vote{.sync}.{all|any|uni}.pred p, {!}q{, membermask}; vote{.sync}.ballot.b32", "", "vote.sync.ballot.b32 %r1, !%p1, -1;"},
      {"activemask", "activemask.b32 d", "", "activemask.b32 %r1;"},
      {"match", "match.{any|all}.sync.{b32|b64} d{|p}, a, membermask", "", "match.all.sync.b64 %r1|%p1, %rd1, -1;"},
      {"redux", "redux.sync.{add|min|max}.{u32|s32}, redux.sync.{and|or|xor}.b32, redux.sync.{min|max}{.abs}{.NaN}.f32 d, a, membermask", "", "redux.sync.min.s32 %r1, %r2, -1;"},
      {"elect", "elect.sync d|p, membermask", "", "elect.sync %r1|%p1, -1;"},
      {"shfl", "shfl{.sync}.{up|down|bfly|idx}.b32 d{|p}, a, b, c{, membermask}", "", "shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1;"},
      {"mma", "mma.sync.aligned.{m16n8k8|m16n8k16}.row.col.{f16|f32}.f16.f16.{f16|f32}", "a step is m16n8k8, of which m16n8k16 are two", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};"},
      {"mma", "mma.sync.aligned.{m16n8k8|m16n8k16}.row.col.f32.bf16.bf16.f32", "as f16", "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, {%f1, %f2, %f3, %f4};"},
      {"mma", "mma.sync.aligned.{m16n8k4|m16n8k8}.row.col.f32.tf32.tf32.f32", "a step is m16n8k4", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};"},
      {"mma", "mma.sync.aligned.{m8n8k16|m16n8k16|m16n8k32}.row.col{.satfinite}.s32.{s8|u8}.{s8|u8}.s32", "a step is m8n8k16 or m16n8k16", "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.u8.s32 {%r1, %r2}, {%r3}, {%r4}, {%r5, %r6};"},
      {"mma", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", "one step", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1, %fd2}, {%fd3}, {%fd4}, {%fd1, %fd2};"},
      {"wmma", "wmma.load.{a|b|c}.sync.aligned.{row|col}.shape{.space}.type r, [a]{, stride}", "m16n16k16, m32n8k16, m8n32k16 of f16, bf16, s8, u8; m16n16k8 of tf32; m8n8k4 of f64. Loads of words, or of elements where their lines lie across", "wmma.load.b.sync.aligned.col.m16n16k16.shared.u8 {%r1, %r2}, [box], 16;"},
      {"wmma", "wmma.store.d.sync.aligned.{row|col}.shape{.space}.type [a], r{, stride}", "", "wmma.store.d.sync.aligned.row.m8n8k4.global.f64 [%rd1], {%fd1, %fd2}, %r1;"},
      {"wmma", "wmma.mma.sync.aligned.{row|col}.{row|col}.shape.types{.satfinite} d, a, b, c", "steps of mma", "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%fd1, %fd2}, {%fd3}, {%fd4}, {%fd1, %fd2};"},
      {"ldmatrix", "ldmatrix.sync.aligned.m8n8.{x1|x2|x4}{.trans}.shared.b16 r, [a]", "a shuffle and a load for each register, two with .trans", "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r1, %r2}, [%r3];"},
      {"min", "min{.ftz}{.NaN}{.abs}.f32 d, a, b, c", "", "min.ftz.NaN.abs.f32 %f1, %f2, %f3, %f4;"},
      {"max", "max{.ftz}{.NaN}{.abs}.f32 d, a, b, c", "", "max.f32 %f1, %f2, %f3, %f4;"},
      {"movmatrix", "movmatrix.sync.aligned.m8n8.trans.b16 d, a", "two shuffles and a permutation", "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;"},
      {"cp", "cp.async.{ca|cg}.shared.global{.L2::...} [to], [from], bytes{, count or p}", "a load and a store: the warp waits for the data before the store", "cp.async.cg.shared.global.L2::128B [%r1], [%rd1], 16, %r2;"},
      {"cp", "cp.async.{commit_group|wait_group n|wait_all}; cp.async.mbarrier.arrive{.noinc}", "nothing to wait for", "cp.async.wait_group 1;"},
      {"mbarrier", "mbarrier.{init|inval|arrive|arrive_drop|test_wait|try_wait|pending_count}{.parity}{.shared}.b64", "atomics and loads; without transaction counts", "mbarrier.test_wait.parity.shared.b64 %p1, [box], %r1;"},
      {"createpolicy", "createpolicy....b64 d, ...", "for all lines of an access; the register is written once", "createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0;"},
      {"tex", "tex{.level|.grad|.base}.{1d|2d|3d|a1d|a2d|cube|acube}.v4.type.type d, [texture, {coordinates}]{, level or gradients}{, {offsets}}", "docs/textures.md", ""},
      {"tld4", "tld4.{r|g|b|a}.{2d|a2d|cube|acube}.v4.type.f32 d, [texture, {coordinates}]{, {offsets}}", "docs/textures.md", ""},
      {"txq", "txq{.level}.query.b32 d, [texture]{, level}", "width, height, depth, array_size, channel_data_type, channel_order, normalized_coords, num_mipmap_levels, num_samples", ""},
      {"suq", "suq.query.b32 d, [surface]", "as txq", ""},
      {"suld", "suld.b.{1d|2d|3d|a1d|a2d}{.v2|.v4}.type{.trap|.clamp|.zero}", "docs/textures.md", ""},
      {"sust", "sust.{b|p}.{1d|2d|3d|a1d|a2d}{.v2|.v4}.type{.trap|.clamp|.zero}", "docs/textures.md; .p of 32 bits", ""},
      {"sured", "sured.b.{add|min|max|and|or}.{1d|2d|3d}.type{.trap|.clamp|.zero}; sured.p....{b32|b64}", "docs/textures.md", "sured.b.add.2d.u32.trap [%rd1, {%r1, %r2}], %r3;"},
      {"mapa", "mapa{.shared::cluster}.{u32|u64} d, a, rank", "clusters are of one block: `a`", "mapa.shared::cluster.u32 %r1, box, 0;"},
      {"getctarank", "getctarank{.shared::cluster}.{u32|u64} d, a", "0", "getctarank.u64 %r1, %rd1;"},
      {"mov", "mov.{u32|u64} d, special register or address", "%tid, %ntid, %ctaid, %nctaid, %laneid, %warpid, %nwarpid, %smid, %nsmid, %gridid, %lanemask_*, %clock*, %globaltimer*, %total_smem_size, %aggr_smem_size, %dynamic_smem_size; those of clusters, which are of one block; %envreg*, %pm*, %reserved_smem_offset_*, %current_graph_exec: 0", "mov.u32 %r1, %globaltimer_hi;"},
  };
  return forms;
}
// clang-format on

std::vector<InstructionRow> instruction_table() {
  std::map<std::string, InstructionRow> rows;
  const auto row_of = [&](std::string_view name) -> InstructionRow& {
    InstructionRow& row = rows[std::string(name)];
    row.name = name;
    return row;
  };
  for (const std::string& opcode : op_names()) {
    const std::string name = opcode.substr(0, opcode.find('.'));
    // Names within the model.
    const bool own = name == "pack" || name == "unpack" || name == "min3" || name == "max3";
    if (own || opcode.ends_with(".negated")) continue;
    row_of(name).forms.push_back(opcode);
  }
  for (const InstructionForm& form : instruction_forms()) {
    InstructionRow& row = row_of(form.name);
    row.forms.emplace_back(form.form);
    if (!form.remark.empty()) row.remarks.emplace_back(form.remark);
  }
  std::vector<InstructionRow> table;
  for (auto& [name, row] : rows) table.push_back(std::move(row));
  return table;
}

}  // namespace warpfold::isa
