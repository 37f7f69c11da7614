// SPDX-License-Identifier: Apache-2.0
// Graphs that are made node by node, taken apart, copied and updated.
#include "tests/host/runtime_fixture.h"

namespace warpfold::host {
namespace graph_nodes_test {

class GraphNodes : public RuntimeApi {
 protected:
  GraphNodes() { EXPECT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess); }
  cudaGraphExec_t executable() const {
    cudaGraphExec_t made = nullptr;
    EXPECT_EQ(cudaGraphInstantiate(&made, graph, nullptr, nullptr, 0), cudaSuccess);
    return made;
  }
  // scale() of two integers.
  cudaKernelNodeParams scale(short shift) {
    shift_ = shift;
    return {&program().scale, dim3(1), dim3(32), 0, arguments_, nullptr};
  }
  cudaGraphNode_t add_scale(short shift, const std::vector<cudaGraphNode_t>& after = {}) {
    const cudaKernelNodeParams parameters = scale(shift);
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &parameters), cudaSuccess);
    return node;
  }
  static std::size_t nodes_of(cudaGraph_t graph) {
    std::size_t count = 0;
    EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &count), cudaSuccess);
    return count;
  }

  static std::size_t edges_of(cudaGraph_t graph) {
    std::size_t count = 0;
    EXPECT_EQ(cudaGraphGetEdges(graph, nullptr, nullptr, &count), cudaSuccess);
    return count;
  }

  cudaGraph_t graph = nullptr;
  int* p = device_ints({1, 2});

 private:
  short shift_ = 0;
  int count_ = 2;
  void* arguments_[3] = {&p, &shift_, &count_};
};

// Added in an order in which they cannot be done.
TEST_F(GraphNodes, EachIsDoneAfterWhatItDependsOn) {
  int in[2] = {1, 2}, out[2] = {}, calls = 0;
  cudaGraphNode_t back = nullptr, there = nullptr, told = nullptr, nothing = nullptr;
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&back, graph, nullptr, 0, out, p, sizeof out, cudaMemcpyDeviceToHost),
            cudaSuccess);
  const cudaGraphNode_t kernel = add_scale(1);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(in, sizeof in, 2, 1);
  copy.dstPtr = make_cudaPitchedPtr(p, sizeof in, 2, 1);
  copy.extent = make_cudaExtent(sizeof in, 1, 1);
  copy.kind = cudaMemcpyHostToDevice;
  ASSERT_EQ(cudaGraphAddMemcpyNode(&there, graph, nullptr, 0, &copy), cudaSuccess);
  const cudaHostNodeParams call = {[](void* data) { ++*static_cast<int*>(data); }, &calls};
  ASSERT_EQ(cudaGraphAddHostNode(&told, graph, &back, 1, &call), cudaSuccess);
  ASSERT_EQ(cudaGraphAddEmptyNode(&nothing, graph, &told, 1), cudaSuccess);
  const cudaGraphNode_t from[] = {there, kernel}, to[] = {kernel, back};
  ASSERT_EQ(cudaGraphAddDependencies(graph, from, to, 2), cudaSuccess);
  const cudaGraphExec_t ready = executable();
  for (int turn = 1; turn <= 2; ++turn) {
    in[0] = turn;
    ASSERT_EQ(cudaGraphLaunch(ready, nullptr), cudaSuccess);
    EXPECT_TRUE(out[0] == 3 * turn + 1 && out[1] == 7 && calls == turn) << out[0];
  }
  ASSERT_EQ(cudaGraphAddDependencies(graph, &back, &there, 1), cudaSuccess);
  ASSERT_EQ(cudaGraphAddEmptyNode(&nothing, graph, nullptr, 0), cudaSuccess);  // it has a place in an order
  cudaGraphExec_t circle = nullptr;
  EXPECT_EQ(cudaGraphInstantiate(&circle, graph, nullptr, nullptr, 0), cudaErrorInvalidValue);
}

TEST_F(GraphNodes, CanBeAskedFor) {
  const cudaGraphNode_t first = add_scale(1), second = add_scale(2, {first}), third = add_scale(3, {first, second});
  std::vector<cudaGraphNode_t> some(4), more(4);
  std::size_t count = 4;
  ASSERT_EQ(cudaGraphGetRootNodes(graph, some.data(), &count), cudaSuccess);
  EXPECT_TRUE(count == 1 && some[0] == first && some[1] == nullptr);
  count = 4;
  ASSERT_EQ(cudaGraphGetEdges(graph, some.data(), more.data(), &count), cudaSuccess);
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(some, (std::vector<cudaGraphNode_t>{first, first, second, nullptr}));
  EXPECT_EQ(more, (std::vector<cudaGraphNode_t>{second, third, third, nullptr}));
  ASSERT_EQ(cudaGraphNodeGetDependentNodes(first, nullptr, &count), cudaSuccess);
  EXPECT_EQ(count, 2u);
  count = 1;
  ASSERT_EQ(cudaGraphNodeGetDependencies(third, some.data(), &count), cudaSuccess);
  EXPECT_TRUE(count == 1 && some[0] == first);
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  ASSERT_EQ(cudaGraphNodeGetType(second, &type), cudaSuccess);
  EXPECT_EQ(type, cudaGraphNodeTypeKernel);
  EXPECT_EQ(cudaGraphRemoveDependencies(graph, &second, &first, 1), cudaErrorInvalidValue);
  ASSERT_EQ(cudaGraphDestroyNode(second), cudaSuccess);
  EXPECT_EQ(nodes_of(graph), 2u);
  ASSERT_EQ(cudaGraphNodeGetDependencies(third, nullptr, &count), cudaSuccess);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(cudaGraphNodeGetType(second, &type), cudaErrorInvalidValue);
}

TEST_F(GraphNodes, ParametersOfGraphAndExecutableAreTheirOwn) {
  const cudaGraphNode_t node = add_scale(1);
  const cudaGraphExec_t ready = executable();
  cudaKernelNodeParams held = {};
  ASSERT_EQ(cudaGraphKernelNodeGetParams(node, &held), cudaSuccess);
  EXPECT_EQ(held.func, &program().scale);
  EXPECT_EQ(*static_cast<short*>(held.kernelParams[1]), 1);
  cudaKernelNodeParams other = scale(5);
  ASSERT_EQ(cudaGraphExecKernelNodeSetParams(ready, node, &other), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(ready, nullptr), cudaSuccess);
  EXPECT_EQ(host_ints(p, 2), (std::vector<int>{8, 11}));
  ASSERT_EQ(cudaGraphLaunch(executable(), nullptr), cudaSuccess);
  EXPECT_EQ(host_ints(p, 2), (std::vector<int>{25, 34}));
  other.blockDim = dim3(2048);
  EXPECT_EQ(cudaGraphKernelNodeSetParams(node, &other), cudaErrorInvalidConfiguration);
  cudaHostNodeParams host = {};
  EXPECT_EQ(cudaGraphHostNodeGetParams(node, &host), cudaErrorInvalidValue);
}

TEST_F(GraphNodes, FillsOfWholeElements) {
  int* const q = device_ints({-1, -1, -1, -1, -1, -1});
  cudaMemsetParams fill = {q, 12, 0x12345, 4, 2, 2};
  cudaGraphNode_t node = nullptr;
  ASSERT_EQ(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &fill), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable(), nullptr), cudaSuccess);
  EXPECT_EQ(host_ints(q, 6), (std::vector<int>{0x12345, 0x12345, -1, 0x12345, 0x12345, -1}));
  fill = {q, 0, 7, 1, 4, 1};
  ASSERT_EQ(cudaGraphMemsetNodeSetParams(node, &fill), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable(), nullptr), cudaSuccess);
  EXPECT_EQ(host_ints(q, 1), std::vector<int>{0x07070707});
  fill.elementSize = 3;
  EXPECT_EQ(cudaGraphMemsetNodeSetParams(node, &fill), cudaErrorInvalidValue);
}

TEST_F(GraphNodes, GraphsWithinGraphsAndCopies) {
  const cudaGraphNode_t inner = add_scale(1);
  cudaGraph_t outer = nullptr, clone = nullptr;
  cudaGraphNode_t child = nullptr, copied = nullptr;
  ASSERT_EQ(cudaGraphCreate(&outer, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, graph), cudaSuccess);
  ASSERT_EQ(cudaGraphAddChildGraphNode(&child, outer, &child, 1, graph), cudaSuccess);
  ASSERT_EQ(cudaGraphClone(&clone, graph), cudaSuccess);
  ASSERT_EQ(cudaGraphNodeFindInClone(&copied, inner, clone), cudaSuccess);
  EXPECT_NE(copied, inner);
  graph = outer;
  ASSERT_EQ(cudaGraphLaunch(executable(), nullptr), cudaSuccess);
  EXPECT_EQ(host_ints(p, 2), (std::vector<int>{13, 22}));
  const cudaKernelNodeParams other = scale(0);
  ASSERT_EQ(cudaGraphKernelNodeSetParams(copied, &other), cudaSuccess);
  graph = clone;
  ASSERT_EQ(cudaGraphLaunch(executable(), nullptr), cudaSuccess);
  EXPECT_EQ(host_ints(p, 2), (std::vector<int>{39, 66}));
}

// What becomes of the graph within is for executables and copies that are made later.
TEST_F(GraphNodes, ExecutablesAndCopiesKeepTheGraphsWithinThem) {
  add_scale(1);
  cudaGraph_t outer = nullptr, inner = nullptr, copy = nullptr;
  cudaGraphNode_t child = nullptr, node = nullptr;
  ASSERT_EQ(cudaGraphCreate(&outer, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, graph), cudaSuccess);
  ASSERT_EQ(cudaGraphChildGraphNodeGetGraph(child, &inner), cudaSuccess);
  graph = outer;
  const cudaGraphExec_t before = executable(), updated = executable();
  ASSERT_EQ(cudaGraphClone(&copy, outer), cudaSuccess);
  std::size_t count = 1;
  ASSERT_EQ(cudaGraphGetNodes(inner, &node, &count), cudaSuccess);
  const cudaKernelNodeParams other = scale(5);
  ASSERT_EQ(cudaGraphKernelNodeSetParams(node, &other), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(before, nullptr), cudaSuccess);
  EXPECT_EQ(host_ints(p, 1), std::vector<int>{4});
  cudaGraphExecUpdateResult result = cudaGraphExecUpdateError;
  ASSERT_EQ(cudaGraphExecUpdate(updated, outer, &node, &result), cudaSuccess);
  ASSERT_EQ(cudaGraphAddChildGraphNode(&node, inner, nullptr, 0, outer), cudaSuccess) << "what it is part of";
  ASSERT_EQ(cudaGraphLaunch(updated, nullptr), cudaSuccess);
  EXPECT_EQ(host_ints(p, 1), std::vector<int>{17});
  ASSERT_EQ(cudaGraphLaunch(executable(), nullptr), cudaSuccess);
  EXPECT_EQ(host_ints(p, 1), std::vector<int>{(17 * 3 + 5) * 3 + 5});
  graph = copy;
  ASSERT_EQ(cudaGraphLaunch(executable(), nullptr), cudaSuccess);
  EXPECT_EQ(host_ints(p, 1), std::vector<int>{173 * 3 + 1});
}

TEST_F(GraphNodes, GraphsWithinGraphsEndWithThem) {
  cudaGraph_t outer = nullptr, inner[2] = {};
  cudaGraphNode_t children[2] = {};
  ASSERT_EQ(cudaGraphCreate(&outer, 0), cudaSuccess);
  for (const unsigned i : {0U, 1U}) {
    ASSERT_EQ(cudaGraphAddChildGraphNode(&children[i], outer, nullptr, 0, graph), cudaSuccess);
    ASSERT_EQ(cudaGraphChildGraphNodeGetGraph(children[i], &inner[i]), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(inner[i]), cudaErrorInvalidValue) << "the node's";
    EXPECT_EQ(nodes_of(inner[i]), 0u);
  }
  std::size_t count = 0;
  ASSERT_EQ(cudaGraphDestroyNode(children[0]), cudaSuccess);
  EXPECT_EQ(cudaGraphGetNodes(inner[0], nullptr, &count), cudaErrorInvalidValue);
  ASSERT_EQ(cudaGraphDestroy(outer), cudaSuccess);
  EXPECT_EQ(cudaGraphGetNodes(inner[1], nullptr, &count), cudaErrorInvalidValue);
  EXPECT_EQ(nodes_of(graph), 0u) << "what they are copies of";
}

TEST_F(GraphNodes, WhatWaitsForItselfWithinAGraphIsNotExecutable) {
  const cudaGraphNode_t first = add_scale(0), last = add_scale(0, {first});
  ASSERT_EQ(cudaGraphAddDependencies(graph, &last, &first, 1), cudaSuccess);
  cudaGraph_t outer = nullptr;
  cudaGraphNode_t child = nullptr;
  cudaGraphExec_t made = nullptr;
  ASSERT_EQ(cudaGraphCreate(&outer, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, graph), cudaSuccess);
  EXPECT_EQ(cudaGraphInstantiate(&made, outer, nullptr, nullptr, 0), cudaErrorInvalidValue);
}

TEST_F(GraphNodes, AnUpdateIsFromAGraphWithTheSameEdges) {
  add_scale(1, {add_scale(0)});
  const cudaGraphExec_t ready = executable();
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  const cudaGraphNode_t first = add_scale(1), last = add_scale(2);
  cudaGraphNode_t wrong = nullptr;
  cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
  EXPECT_EQ(cudaGraphExecUpdate(ready, graph, &wrong, &result), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(result, cudaGraphExecUpdateErrorTopologyChanged);
  ASSERT_EQ(cudaGraphAddDependencies(graph, &first, &last, 1), cudaSuccess);
  EXPECT_EQ(cudaGraphExecUpdate(ready, graph, &wrong, &result), cudaSuccess);
}

TEST_F(GraphNodes, AreaBeyondAllCountingIsRefused) {
  constexpr std::size_t kHuge = std::size_t{1} << 63;
  cudaGraphNode_t node = nullptr;
  const cudaMemsetParams fill = {p, 0, 1, 2, kHuge, 1};  // twice as many bytes are none
  ASSERT_EQ(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &fill), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable(), nullptr), cudaErrorInvalidValue);
  ASSERT_EQ(cudaGraphDestroyNode(node), cudaSuccess);

  cudaMemcpy3DParms copy = {};
  copy.srcPtr = copy.dstPtr = make_cudaPitchedPtr(p, 4, 4, 0);
  copy.extent = make_cudaExtent(4, 1, kHuge);  // slices without a height lie on one another
  copy.kind = cudaMemcpyDeviceToDevice;
  ASSERT_EQ(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable(), nullptr), cudaErrorInvalidValue);
  for (const cudaExtent nothing : {make_cudaExtent(0, 1, kHuge), make_cudaExtent(0, kHuge, 1)}) {
    copy.srcPtr.ysize = copy.dstPtr.ysize = kHuge;
    copy.extent = nothing;
    ASSERT_EQ(cudaGraphMemcpyNodeSetParams(node, &copy), cudaSuccess);
    EXPECT_EQ(cudaGraphLaunch(executable(), nullptr), cudaSuccess);
  }
  EXPECT_EQ(host_ints(p, 2), (std::vector<int>{1, 2}));
}

TEST_F(GraphNodes, OfACopyFollowEachOther) {
  const cudaGraphNode_t first = add_scale(1);
  add_scale(2, {first});
  cudaGraph_t copy = nullptr;
  ASSERT_EQ(cudaGraphClone(&copy, graph), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable(), nullptr), cudaSuccess);
  const std::vector<int> once = host_ints(p, 2);
  graph = copy;
  ASSERT_EQ(cudaGraphLaunch(executable(), nullptr), cudaSuccess);
  EXPECT_NE(host_ints(p, 2), once);
}

// As programs do that mix captured work with nodes of which they change the parameters.
TEST_F(GraphNodes, JoinACapture) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaGraphNode_t* last = nullptr;
  std::size_t count = 9;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(launch_scale(p, 1, 2, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, &graph, &last, &count), cudaSuccess);
  ASSERT_TRUE(status == cudaStreamCaptureStatusActive && count == 1);
  cudaGraphNode_t node = add_scale(0, {*last});
  ASSERT_EQ(cudaStreamUpdateCaptureDependencies(stream, &node, 1, cudaStreamSetCaptureDependencies), cudaSuccess);
  ASSERT_EQ(launch_scale(p, 5, 2, stream), cudaSuccess);
  cudaGraph_t captured = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream, &captured), cudaSuccess);
  EXPECT_EQ(captured, graph);
  EXPECT_EQ(nodes_of(graph), 3u);
  EXPECT_EQ(edges_of(graph), 2u) << "what the stream did last before is replaced";
  const cudaGraphExec_t ready = executable();
  ASSERT_EQ(cudaGraphLaunch(ready, stream), cudaSuccess);
  EXPECT_EQ(host_ints(p, 2), (std::vector<int>{41, 68}));  // ((1 * 3 + 1) * 3 + 0) * 3 + 5

  const cudaGraphNode_t before = node;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  node = add_scale(0, {add_scale(0)});
  cudaGraphNode_t wrong = nullptr;
  cudaGraphExecUpdateResult result = cudaGraphExecUpdateError;
  EXPECT_EQ(cudaGraphExecUpdate(ready, graph, &wrong, &result), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(result, cudaGraphExecUpdateErrorTopologyChanged);
  add_scale(-1, {node});
  ASSERT_EQ(cudaGraphExecUpdate(ready, graph, &wrong, &result), cudaSuccess);
  const cudaKernelNodeParams changed = scale(2);
  ASSERT_EQ(cudaGraphExecKernelNodeSetParams(ready, before, &changed), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(ready, stream), cudaSuccess);
  EXPECT_EQ(host_ints(p, 1), std::vector<int>{(41 * 3 * 3 + 2) * 3 - 1});
}

class CapturesTest : public GraphNodes {
 protected:
  CapturesTest() {
    for (cudaStream_t& stream : streams) EXPECT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    for (cudaEvent_t& event : events) EXPECT_EQ(cudaEventCreate(&event), cudaSuccess);
  }
  // What `to` does next comes behind what `from` has done.
  void let_wait(unsigned to, unsigned from, unsigned event) {
    ASSERT_EQ(cudaEventRecord(events[event], streams[from]), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(streams[to], events[event], 0), cudaSuccess);
  }
  void launch_in(unsigned stream) { ASSERT_EQ(launch_scale(p, 1, 2, streams[stream]), cudaSuccess); }
  cudaStream_t streams[3] = {};
  cudaEvent_t events[2] = {};
};

TEST_F(CapturesTest, WhoWaitsGoesOnBehindHisOwnLast) {
  ASSERT_EQ(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal), cudaSuccess);
  launch_in(0);
  let_wait(1, 0, 0);
  launch_in(1);
  launch_in(0);
  let_wait(0, 1, 1);
  launch_in(0);
  ASSERT_EQ(cudaStreamEndCapture(streams[0], &graph), cudaSuccess);
  EXPECT_EQ(nodes_of(graph), 4u);
  EXPECT_EQ(edges_of(graph), 4u) << "the last behind both";
}

TEST_F(CapturesTest, AnEventIsOfTheCaptureThatRecordedItLast) {
  for (const unsigned captured : {0U, 1U}) {
    ASSERT_EQ(cudaStreamBeginCapture(streams[captured], cudaStreamCaptureModeGlobal), cudaSuccess);
    launch_in(captured);
    ASSERT_EQ(cudaEventRecord(events[0], streams[captured]), cudaSuccess);
  }
  ASSERT_EQ(cudaStreamWaitEvent(streams[2], events[0], 0), cudaSuccess);
  launch_in(2);
  let_wait(1, 2, 1);
  ASSERT_EQ(cudaStreamEndCapture(streams[1], &graph), cudaSuccess);
  EXPECT_EQ(nodes_of(graph), 2u);
  ASSERT_EQ(cudaStreamEndCapture(streams[0], &graph), cudaSuccess);
  EXPECT_EQ(nodes_of(graph), 1u);
}

TEST_F(CapturesTest, WhatIsBeingCapturedIsNotTakenAway) {
  ASSERT_EQ(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal), cudaSuccess);
  launch_in(0);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaGraphNode_t* last = nullptr;
  std::size_t count = 0;
  ASSERT_EQ(cudaStreamGetCaptureInfo_v2(streams[0], &status, nullptr, &graph, &last, &count), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroyNode(*last), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamUpdateCaptureDependencies(streams[0], nullptr, 1, 0), cudaErrorInvalidValue);
  cudaGraph_t captured = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(streams[0], &captured), cudaSuccess);
  EXPECT_EQ(captured, graph);
  EXPECT_EQ(nodes_of(captured), 1u);
  EXPECT_EQ(cudaGraphDestroy(captured), cudaSuccess);
}

// A launch of a graph is part of the capture, and told like one that was added.
TEST_F(CapturesTest, ACapturedLaunchIsAGraphWithinTheGraph) {
  add_scale(1);
  const cudaGraphExec_t inner = executable();
  ASSERT_EQ(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(inner, streams[0]), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(streams[0], &graph), cudaSuccess);
  cudaGraphNode_t node = nullptr;
  std::size_t count = 1;
  ASSERT_EQ(cudaGraphGetNodes(graph, &node, &count), cudaSuccess);
  cudaGraph_t within = nullptr;
  ASSERT_EQ(cudaGraphChildGraphNodeGetGraph(node, &within), cudaSuccess);
  EXPECT_EQ(nodes_of(within), 1u);
}

// Calls that captures forbid are allowed again.
TEST_F(CapturesTest, EndWithTheirStreams) {
  for (const unsigned gone : {0U, 1U}) {
    ASSERT_EQ(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal), cudaSuccess);
    launch_in(0);
    let_wait(1, 0, 0);
    ASSERT_EQ(cudaStreamDestroy(streams[gone]), cudaSuccess);
    if (gone == 1) {
      EXPECT_EQ(cudaStreamEndCapture(streams[0], &graph), cudaErrorStreamCaptureInvalidated);
    }
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, 4), cudaSuccess);
    ASSERT_EQ(cudaStreamCreate(&streams[gone]), cudaSuccess);
    EXPECT_EQ(launch_scale(p, 0, 1, streams[1 - gone]), cudaSuccess) << "captured no more";
  }
}

TEST_F(GraphNodes, EventsAreRecordedAtTheLaunch) {
  cudaEvent_t start = nullptr, stop = nullptr;
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&stop), cudaSuccess);
  cudaGraphNode_t first = nullptr, last = nullptr, wait = nullptr;
  int in[1000] = {};
  void* there = nullptr;
  ASSERT_EQ(cudaMalloc(&there, sizeof in), cudaSuccess);
  ASSERT_EQ(cudaGraphAddEventRecordNode(&first, graph, nullptr, 0, start), cudaSuccess);
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&last, graph, &first, 1, there, in, sizeof in, cudaMemcpyHostToDevice),
            cudaSuccess);
  ASSERT_EQ(cudaGraphAddEventRecordNode(&last, graph, &last, 1, stop), cudaSuccess);
  ASSERT_EQ(cudaGraphAddEventWaitNode(&wait, graph, &last, 1, stop), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable(), nullptr), cudaSuccess);
  ASSERT_EQ(cudaEventSynchronize(stop), cudaSuccess);
  float milliseconds = 0;
  ASSERT_EQ(cudaEventElapsedTime(&milliseconds, start, stop), cudaSuccess);
  EXPECT_GT(milliseconds, 0);
}

}  // namespace graph_nodes_test
}  // namespace warpfold::host
