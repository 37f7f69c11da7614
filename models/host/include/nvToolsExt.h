// SPDX-License-Identifier: Apache-2.0
// Annotations for profilers: as where no profiler listens, each call does nothing and says so.
#pragma once
#define NVTOOLSEXT_H_

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
#define NVTX_NO_PUSH_POP_TRACKING (-2)
#define NVTX_SUCCESS 0

#define NVTX_COLOR_UNKNOWN 0
#define NVTX_COLOR_ARGB 1
#define NVTX_MESSAGE_UNKNOWN 0
#define NVTX_MESSAGE_TYPE_ASCII 1
#define NVTX_MESSAGE_TYPE_UNICODE 2
#define NVTX_MESSAGE_TYPE_REGISTERED 3
#define NVTX_PAYLOAD_UNKNOWN 0
#define NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 1
#define NVTX_PAYLOAD_TYPE_INT64 2
#define NVTX_PAYLOAD_TYPE_DOUBLE 3
#define NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 4
#define NVTX_PAYLOAD_TYPE_INT32 5
#define NVTX_PAYLOAD_TYPE_FLOAT 6

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st* nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st* nvtxStringHandle_t;

typedef union nvtxMessageValue_t {
  const char* ascii;
  const wchar_t* unicode;
  nvtxStringHandle_t registered;
} nvtxMessageValue_t;

typedef struct nvtxEventAttributes_v2 {
  uint16_t version, size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType, reserved0;
  union payload_t {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
  } payload;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxEventAttributes_v2;
typedef nvtxEventAttributes_v2 nvtxEventAttributes_t;

#define WARPFOLD_NVTX(name, parameters) \
  static inline int name parameters { return NVTX_NO_PUSH_POP_TRACKING; }
#define WARPFOLD_NVTX_RANGE(name, parameters) \
  static inline nvtxRangeId_t name parameters { return 0; }
#define WARPFOLD_NVTX_NOTHING(name, parameters) \
  static inline void name parameters {}

WARPFOLD_NVTX(nvtxRangePushA, (const char* message __attribute__((unused))))
WARPFOLD_NVTX(nvtxRangePushW, (const wchar_t* message __attribute__((unused))))
WARPFOLD_NVTX(nvtxRangePushEx, (const nvtxEventAttributes_t* attributes __attribute__((unused))))
WARPFOLD_NVTX(nvtxRangePop, (void))
WARPFOLD_NVTX_RANGE(nvtxRangeStartA, (const char* message __attribute__((unused))))
WARPFOLD_NVTX_RANGE(nvtxRangeStartW, (const wchar_t* message __attribute__((unused))))
WARPFOLD_NVTX_RANGE(nvtxRangeStartEx, (const nvtxEventAttributes_t* attributes __attribute__((unused))))
WARPFOLD_NVTX_NOTHING(nvtxRangeEnd, (nvtxRangeId_t id __attribute__((unused))))
WARPFOLD_NVTX_NOTHING(nvtxMarkA, (const char* message __attribute__((unused))))
WARPFOLD_NVTX_NOTHING(nvtxMarkW, (const wchar_t* message __attribute__((unused))))
WARPFOLD_NVTX_NOTHING(nvtxMarkEx, (const nvtxEventAttributes_t* attributes __attribute__((unused))))
WARPFOLD_NVTX_NOTHING(nvtxInitialize, (const void* reserved __attribute__((unused))))
WARPFOLD_NVTX_NOTHING(nvtxNameCategoryA,
                      (uint32_t category __attribute__((unused)), const char* name __attribute__((unused))))
WARPFOLD_NVTX_NOTHING(nvtxNameOsThreadA,
                      (uint32_t thread __attribute__((unused)), const char* name __attribute__((unused))))

static inline nvtxDomainHandle_t nvtxDomainCreateA(const char* name) {
  (void)name;
  return NULL;
}
static inline nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char* text) {
  (void)domain;
  (void)text;
  return NULL;
}
WARPFOLD_NVTX_NOTHING(nvtxDomainDestroy, (nvtxDomainHandle_t domain __attribute__((unused))))
WARPFOLD_NVTX_NOTHING(nvtxDomainNameCategoryA,
                      (nvtxDomainHandle_t domain __attribute__((unused)), uint32_t category __attribute__((unused)),
                       const char* name __attribute__((unused))))
WARPFOLD_NVTX(nvtxDomainRangePushEx, (nvtxDomainHandle_t domain __attribute__((unused)),
                                      const nvtxEventAttributes_t* attributes __attribute__((unused))))
WARPFOLD_NVTX(nvtxDomainRangePop, (nvtxDomainHandle_t domain __attribute__((unused))))
WARPFOLD_NVTX_RANGE(nvtxDomainRangeStartEx, (nvtxDomainHandle_t domain __attribute__((unused)),
                                             const nvtxEventAttributes_t* attributes __attribute__((unused))))
WARPFOLD_NVTX_NOTHING(nvtxDomainRangeEnd,
                      (nvtxDomainHandle_t domain __attribute__((unused)), nvtxRangeId_t id __attribute__((unused))))
WARPFOLD_NVTX_NOTHING(nvtxDomainMarkEx, (nvtxDomainHandle_t domain __attribute__((unused)),
                                         const nvtxEventAttributes_t* attributes __attribute__((unused))))

#if defined(UNICODE)
#define nvtxMark nvtxMarkW
#define nvtxRangeStart nvtxRangeStartW
#define nvtxRangePush nvtxRangePushW
#else
#define nvtxMark nvtxMarkA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxRangePush nvtxRangePushA
#endif
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA

#undef WARPFOLD_NVTX
#undef WARPFOLD_NVTX_RANGE
#undef WARPFOLD_NVTX_NOTHING
