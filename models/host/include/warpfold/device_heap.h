// SPDX-License-Identifier: Apache-2.0
// malloc, free, new and delete of device code: the heap of kernels. Before the first standard header that reads <new>.
#pragma once

extern "C" {
__device__ void free(void*) __attribute__((nothrow));
__device__ void* malloc(size_t) __attribute__((nothrow)) __attribute__((malloc));
}

// clang's has the operators of device code, by malloc and free. Where the heap is full, new gives null too; but clang 14
// takes that for impossible and drops a program's test for it.
#include <new>
