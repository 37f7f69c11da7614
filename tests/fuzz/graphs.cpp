// SPDX-License-Identifier: Apache-2.0
// Launch graphs: each byte chooses a call of the run-time library, or what it is called with. Graphs are made node by
// node, captured, copied, taken apart, launched. What a launch calls is what the graph had when it was made executable.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "tests/fuzz/graph_snapshot.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/idle_device.h"
#include "warpfold/host/runtime/context.h"

extern "C" {
void** __cudaRegisterFatBinary(void* data);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaRegisterFunction(void** handle, const char* host_function, char* device_function, const char* device_name,
                            int, void*, void*, void*, void*, int*);
}

namespace warpfold {
namespace {

constexpr const char* kPtx = R"(.version 6.3
.target sm_70
.address_size 64
.visible .entry saxpy(.param .u64 x, .param .f32 a)
{
  ret;
}
)";
struct {
  int magic = 0x466243b1, version = 1;
  const char* ptx = kPtx;
  void* unused = nullptr;
} wrapper;
char saxpy = 0;  // its address stands for the kernel

void register_program() {
  void** handle = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(handle, &saxpy, nullptr, "saxpy", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterFatBinaryEnd(handle);
}

// Functions of the host, by number, in the order in which they are called.
std::vector<std::uintptr_t> called;
void note(void* number) { called.push_back(reinterpret_cast<std::uintptr_t>(number)); }

// The calls that an input chooses, on a few graphs, streams and events.
class Calls {
 public:
  Calls(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {
    // As a reset leaves it, but for memory and the kernel: programs from before resets are kept.
    host::Context& context = host::Context::instance();
    context.graphs = {};
    context.events.clear();
    context.timeline.destroy_all();
    for (auto& stream : streams_) cudaStreamCreate(&stream);
    for (auto& event : events_) cudaEventCreate(&event);
    streams_[0] = nullptr;
  }
  void all() {
    static constexpr void (Calls::*kCalls[])() = {
        &Calls::create,           &Calls::destroy,      &Calls::clone,        &Calls::add_node,    &Calls::add_node,
        &Calls::add_node,         &Calls::change_node,  &Calls::instantiate,  &Calls::update,      &Calls::launch,
        &Calls::begin_capture,    &Calls::end_capture,  &Calls::stream_work,  &Calls::stream_work, &Calls::capture_info,
        &Calls::change_capture,   &Calls::change_edges, &Calls::destroy_node, &Calls::look,        &Calls::replace,
        &Calls::change_executable};
    while (at_ != end_) {
      (this->*kCalls[byte() % std::size(kCalls)])();
      cudaGetLastError();
    }
  }

 private:
  static constexpr std::size_t kBytes = 256, kMostNodes = 40, kMostInner = 200;
  struct Executable {
    cudaGraphExec_t handle;
    std::shared_ptr<const fuzz::Snapshot> graph;
  };

  unsigned byte() { return at_ == end_ ? 0 : *at_++; }
  template <class T>
  T of(const std::vector<T>& all) {
    const unsigned chosen = byte();
    return all.empty() || chosen == 255 ? T{} : all[chosen % all.size()];
  }
  cudaStream_t stream() { return streams_[byte() % streams_.size()]; }
  cudaEvent_t event() { return events_[byte() % events_.size()]; }
  std::size_t amount() {  // mostly small, now and then as large as it gets
    const unsigned chosen = byte();
    return chosen < 192 ? chosen : chosen < 224 ? std::size_t{1} << (chosen % 64) : ~std::size_t{0} >> (chosen % 8);
  }
  std::vector<cudaGraphNode_t> some_nodes() {
    std::vector<cudaGraphNode_t> some(byte() % 4);
    for (cudaGraphNode_t& node : some) node = of(nodes_);
    return some;
  }
  void* memory() {
    const unsigned chosen = byte();
    return chosen % 8 == 7 ? nullptr : static_cast<char*>(chosen % 2 == 0 ? device_ : host_.data()) + chosen % 5;
  }

  static bool exists(cudaGraph_t graph) {
    std::size_t count = 0;
    return cudaGraphGetNodes(graph, nullptr, &count) == cudaSuccess;
  }

  cudaKernelNodeParams kernel() {
    return {byte() % 16 == 15 ? nullptr : &saxpy,
            dim3(byte() % 3),
            dim3(byte() % 70, byte() % 3),
            byte() % 2,
            arguments_,
            nullptr};
  }
  cudaHostNodeParams function() { return {byte() % 16 == 15 ? nullptr : note, reinterpret_cast<void*>(++functions_)}; }
  // Within the device's memory, or far beyond it: what lies beyond the host's own is nobody's to check.
  cudaMemcpy3DParms copy() {
    cudaMemcpy3DParms p{};
    const bool in = byte() % 2 == 0;
    p.kind = in ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice;
    if (byte() % 4 == 0) p.dstArray = array_;
    if (p.dstArray == nullptr) p.dstPtr = make_cudaPitchedPtr(device_, amount(), amount(), amount());
    p.srcPtr = make_cudaPitchedPtr(in ? host_.data() : device_, amount(), 1, 1);
    p.dstPos = make_cudaPos(amount(), amount(), byte() % 3);
    p.extent = make_cudaExtent(in ? byte() % 32 : amount(), in ? byte() % 2 : amount(), in ? byte() % 2 : amount());
    return p;
  }
  cudaMemsetParams fill() {
    cudaMemsetParams p{};
    p.dst = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(device_) + amount());
    p.pitch = amount();
    p.value = byte();
    p.elementSize = byte() % 5;
    p.width = amount();
    p.height = amount();
    return p;
  }

  cudaError_t add(cudaGraphNode_t* made, cudaGraph_t graph, const std::vector<cudaGraphNode_t>& after) {
    const std::size_t count = after.size();
    const unsigned kind = byte() % 9;
    if (kind == 0) return cudaGraphAddEmptyNode(made, graph, after.data(), count);
    if (kind == 1) return cudaGraphAddEventRecordNode(made, graph, after.data(), count, event());
    if (kind == 2) return cudaGraphAddEventWaitNode(made, graph, after.data(), count, event());
    if (kind == 3) {
      const cudaKernelNodeParams p = kernel();
      return cudaGraphAddKernelNode(made, graph, after.data(), count, &p);
    }
    if (kind == 4) {
      const cudaMemcpy3DParms p = copy();
      return cudaGraphAddMemcpyNode(made, graph, after.data(), count, &p);
    }
    if (kind == 5) {
      const cudaMemsetParams p = fill();
      return cudaGraphAddMemsetNode(made, graph, after.data(), count, &p);
    }
    if (kind == 6) {
      const cudaGraph_t child = of(graphs_);
      if (exists(child) && fuzz::snapshot_of(child)->size() > kMostInner) return cudaErrorInvalidValue;
      return cudaGraphAddChildGraphNode(made, graph, after.data(), count, child);
    }
    const cudaHostNodeParams p = function();
    return cudaGraphAddHostNode(made, graph, after.data(), count, &p);
  }
  void add_node() {
    const cudaGraph_t graph = of(graphs_);
    cudaGraphNode_t made = nullptr;
    if (exists(graph) && fuzz::snapshot_of(graph)->nodes.size() >= kMostNodes) return;
    if (add(&made, graph, some_nodes()) == cudaSuccess) nodes_.push_back(made);
  }

  // Of a graph's node, then of an executable's, which then calls another function.
  void change_node() {
    const cudaGraphNode_t node = of(nodes_);
    const cudaKernelNodeParams k = kernel();
    const cudaMemcpy3DParms c = copy();
    const cudaMemsetParams f = fill();
    cudaGraphKernelNodeSetParams(node, &k);
    cudaGraphMemcpyNodeSetParams(node, &c);
    cudaGraphMemsetNodeSetParams(node, &f);
    const cudaHostNodeParams h = function();
    cudaGraphHostNodeSetParams(node, &h);
  }
  void change_executable() {
    if (executables_.empty()) return;
    Executable& executable = executables_[byte() % executables_.size()];
    const cudaGraphNode_t node = of(nodes_);
    cudaKernelNodeParams k{};
    if (cudaGraphKernelNodeGetParams(of(nodes_), &k) == cudaSuccess) {
      cudaGraphExecKernelNodeSetParams(executable.handle, node, &k);
    }
    const cudaMemcpy3DParms c = copy();
    const cudaMemsetParams f = fill();
    cudaGraphExecMemcpyNodeSetParams(executable.handle, node, &c);
    cudaGraphExecMemsetNodeSetParams(executable.handle, node, &f);
    const cudaHostNodeParams h = function();
    if (cudaGraphExecHostNodeSetParams(executable.handle, node, &h) != cudaSuccess) return;
    auto changed = std::make_shared<fuzz::Snapshot>(*executable.graph);
    for (fuzz::Snapshot::Node& one : changed->nodes) {
      if (one.handle == node) one.number = reinterpret_cast<std::uintptr_t>(h.userData);
    }
    executable.graph = std::move(changed);
  }

  void instantiate() {
    const cudaGraph_t graph = of(graphs_);
    cudaGraphExec_t made = nullptr;
    if (cudaGraphInstantiate(&made, graph, nullptr, nullptr, 0) == cudaSuccess) {
      executables_.push_back({made, fuzz::snapshot_of(graph)});
    }
  }
  // The executable does what the graph's nodes do, in its own order.
  void update() {
    if (executables_.empty()) return;
    Executable& executable = executables_[byte() % executables_.size()];
    const cudaGraph_t graph = of(graphs_);
    cudaGraphNode_t failed = nullptr;
    cudaGraphExecUpdateResult result{};
    if (cudaGraphExecUpdate(executable.handle, graph, &failed, &result) != cudaSuccess) return;
    const auto from = fuzz::snapshot_of(graph);
    auto to = std::make_shared<fuzz::Snapshot>(*executable.graph);
    if (from->nodes.size() != to->nodes.size()) fuzz::broken("an update from a graph of another size");
    for (std::size_t i = 0; i < to->nodes.size(); ++i) {
      to->nodes[i].number = from->nodes[i].number;
      to->nodes[i].child = from->nodes[i].child;
    }
    executable.graph = std::move(to);
  }
  void launch() {
    if (executables_.empty()) return;
    const Executable executable = executables_[byte() % executables_.size()];
    const cudaStream_t where = stream();
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaStreamIsCapturing(where, &status);
    const bool captured = status != cudaStreamCaptureStatusNone;
    if (captured && executable.graph->size() > kMostInner) return;
    called.clear();
    const cudaError_t error = cudaGraphLaunch(executable.handle, where);
    if (captured && !called.empty()) fuzz::broken("a captured launch calls functions");
    if (!captured && error == cudaSuccess) fuzz::check_calls(*executable.graph, called);
  }

  void stream_work() {
    const cudaStream_t where = stream();
    const cudaMemcpy3DParms box = copy();
    const unsigned kind = byte() % 8;
    if (kind == 0) cudaLaunchHostFunc(where, note, reinterpret_cast<void*>(++functions_));
    if (kind == 1) cudaMemsetAsync(device_, 0, amount(), where);
    if (kind == 2) cudaMemcpyAsync(device_, memory(), byte() % 64, cudaMemcpyDefault, where);
    if (kind == 3) cudaLaunchKernel(&saxpy, dim3(1), dim3(byte() % 70), arguments_, 0, where);
    if (kind == 4) cudaEventRecord(event(), where);
    if (kind == 5) cudaStreamWaitEvent(where, event(), 0);
    if (kind == 6) cudaStreamSynchronize(where);
    if (kind == 7) cudaMemcpy3DAsync(&box, where);
  }
  void begin_capture() { cudaStreamBeginCapture(stream(), static_cast<cudaStreamCaptureMode>(byte() % 4)); }
  void end_capture() {
    cudaGraph_t graph = nullptr;
    if (cudaStreamEndCapture(stream(), &graph) == cudaSuccess) keep(graph);
  }
  void capture_info() {
    cudaStreamCaptureStatus status{};
    unsigned long long id = 0;
    cudaGraph_t graph = nullptr;
    const cudaGraphNode_t* last = nullptr;
    std::size_t count = 0;
    cudaStreamGetCaptureInfo_v2(stream(), &status, &id, &graph, &last, &count);
    nodes_.insert(nodes_.end(), last, last + count);
    if (graph != nullptr && status == cudaStreamCaptureStatusActive) keep(graph);
  }
  void change_capture() {
    const cudaStream_t where = stream();
    std::vector<cudaGraphNode_t> nodes = some_nodes();
    const std::size_t count = byte() % 16 == 15 ? 2 : nodes.size();
    cudaStreamUpdateCaptureDependencies(where, count > nodes.size() ? nullptr : nodes.data(), count, byte() % 3);
  }
  void change_edges() {
    const cudaGraph_t graph = of(graphs_);
    const std::vector<cudaGraphNode_t> from{of(nodes_), of(nodes_)}, to{of(nodes_), of(nodes_)};
    const unsigned count = byte() % 3;
    if (byte() % 2 == 0) {
      cudaGraphAddDependencies(graph, from.data(), to.data(), count);
    } else {
      cudaGraphRemoveDependencies(graph, from.data(), to.data(), count);
    }
  }
  void look() {
    const cudaGraph_t graph = of(graphs_);
    std::vector<cudaGraphNode_t> first(byte() % 8), second(first.size());
    std::size_t count = first.size();
    const unsigned kind = byte() % 3;
    if (kind == 0) cudaGraphGetEdges(graph, first.data(), second.data(), &count);
    if (kind == 1) cudaGraphGetRootNodes(graph, first.data(), &count);
    if (kind == 2) cudaGraphNodeGetDependentNodes(of(nodes_), first.data(), &count);
    cudaGraphNode_t copied = nullptr;
    cudaGraph_t child = nullptr;
    if (cudaGraphNodeFindInClone(&copied, of(nodes_), graph) == cudaSuccess) nodes_.push_back(copied);
    if (cudaGraphChildGraphNodeGetGraph(of(nodes_), &child) == cudaSuccess) keep(child);
    cudaGraphDebugDotPrint(graph, "/dev/null", 0);
  }
  void keep(cudaGraph_t graph) {
    if (std::find(graphs_.begin(), graphs_.end(), graph) == graphs_.end()) graphs_.push_back(graph);
    const auto all =
        fuzz::handed_out([&](cudaGraphNode_t* out, std::size_t* n) { return cudaGraphGetNodes(graph, out, n); });
    nodes_.insert(nodes_.end(), all.begin(), all.end());
  }
  void destroy() { cudaGraphDestroy(of(graphs_)); }
  void create() {
    cudaGraph_t graph = nullptr;
    if (cudaGraphCreate(&graph, 0) == cudaSuccess) keep(graph);
  }
  void clone() {
    cudaGraph_t copied = nullptr;
    if (cudaGraphClone(&copied, of(graphs_)) == cudaSuccess) keep(copied);
  }
  void destroy_node() { cudaGraphDestroyNode(of(nodes_)); }

  void replace() {
    cudaStream_t& old_stream = streams_[byte() % streams_.size()];
    cudaEvent_t& old_event = events_[byte() % events_.size()];
    if (byte() % 2 == 0) {
      cudaStreamDestroy(old_stream);
      cudaStreamCreate(&old_stream);
    } else {
      cudaEventDestroy(old_event);
      cudaEventCreate(&old_event);
    }
    if (byte() % 2 == 0 && !executables_.empty()) {
      cudaGraphExecDestroy(executables_.back().handle);
      if (cudaGraphLaunch(executables_.back().handle, nullptr) == cudaSuccess) fuzz::broken("what is gone is launched");
      executables_.pop_back();
    }
  }

  const std::uint8_t *at_, *end_;
  static void* allocated() {
    void* memory = nullptr;
    cudaMalloc(&memory, kBytes);
    return memory;
  }
  static cudaArray_t array() {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindSigned);
    cudaArray_t made = nullptr;
    cudaMalloc3DArray(&made, &format, cudaExtent{5, 4, 3}, 0);
    return made;
  }
  static inline void* device_ = allocated();
  static inline cudaArray_t array_ = array();
  std::array<char, kBytes> host_{};
  float factor_ = 2;
  void* arguments_[2] = {&device_, &factor_};
  std::array<cudaStream_t, 4> streams_{};
  std::array<cudaEvent_t, 3> events_{};
  std::vector<cudaGraph_t> graphs_;
  std::vector<cudaGraphNode_t> nodes_;
  std::vector<Executable> executables_;
  std::uintptr_t functions_ = 0;
};

}  // namespace

std::unique_ptr<host::Device> host::make_device() { return std::make_unique<fuzz::IdleDevice>(); }

}  // namespace warpfold

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  warpfold::register_program();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  warpfold::Calls(data, size).all();
  return 0;
}
