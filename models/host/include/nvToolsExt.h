// SPDX-License-Identifier: Apache-2.0
// Annotations for profilers of the vendor (NVTX). None is attached to the model, and calls do and return what they do
// without one: nothing.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_NO_PUSH_POP_TRACKING (-2)

typedef enum { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum {
  NVTX_MESSAGE_UNKNOWN = 0,
  NVTX_MESSAGE_TYPE_UNKNOWN = 0,
  NVTX_MESSAGE_TYPE_ASCII = 1,
  NVTX_MESSAGE_TYPE_UNICODE = 2,
  NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum {
  NVTX_PAYLOAD_UNKNOWN = 0,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
  NVTX_PAYLOAD_TYPE_INT64 = 2,
  NVTX_PAYLOAD_TYPE_DOUBLE = 3,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
  NVTX_PAYLOAD_TYPE_INT32 = 5,
  NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st* nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st* nvtxStringHandle_t;
typedef union {
  const char* ascii;
  const wchar_t* unicode;
  nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct {
  uint16_t version, size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType, reserved0;
  union {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
  } payload;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

#define WARPFOLD_NVTX(Result, name, parameters, result) \
  static inline __attribute__((unused)) Result name parameters { return result; }
WARPFOLD_NVTX(void, nvtxInitialize, (const void* reserved), (void)reserved)
WARPFOLD_NVTX(void, nvtxMarkA, (const char* text), (void)text)
WARPFOLD_NVTX(void, nvtxMarkW, (const wchar_t* text), (void)text)
WARPFOLD_NVTX(void, nvtxMarkEx, (const nvtxEventAttributes_t* event), (void)event)
WARPFOLD_NVTX(int, nvtxRangePushA, (const char* text), ((void)text, NVTX_NO_PUSH_POP_TRACKING))
WARPFOLD_NVTX(int, nvtxRangePushW, (const wchar_t* text), ((void)text, NVTX_NO_PUSH_POP_TRACKING))
WARPFOLD_NVTX(int, nvtxRangePushEx, (const nvtxEventAttributes_t* event), ((void)event, NVTX_NO_PUSH_POP_TRACKING))
WARPFOLD_NVTX(int, nvtxRangePop, (void), NVTX_NO_PUSH_POP_TRACKING)
WARPFOLD_NVTX(nvtxRangeId_t, nvtxRangeStartA, (const char* text), ((void)text, 0))
WARPFOLD_NVTX(nvtxRangeId_t, nvtxRangeStartW, (const wchar_t* text), ((void)text, 0))
WARPFOLD_NVTX(nvtxRangeId_t, nvtxRangeStartEx, (const nvtxEventAttributes_t* event), ((void)event, 0))
WARPFOLD_NVTX(void, nvtxRangeEnd, (nvtxRangeId_t range), (void)range)
WARPFOLD_NVTX(void, nvtxNameCategoryA, (uint32_t category, const char* name), ((void)category, (void)name))
WARPFOLD_NVTX(void, nvtxNameOsThreadA, (uint32_t thread, const char* name), ((void)thread, (void)name))
WARPFOLD_NVTX(nvtxDomainHandle_t, nvtxDomainCreateA, (const char* name), ((void)name, (nvtxDomainHandle_t)0))
WARPFOLD_NVTX(nvtxDomainHandle_t, nvtxDomainCreateW, (const wchar_t* name), ((void)name, (nvtxDomainHandle_t)0))
WARPFOLD_NVTX(void, nvtxDomainDestroy, (nvtxDomainHandle_t domain), (void)domain)
WARPFOLD_NVTX(nvtxStringHandle_t, nvtxDomainRegisterStringA, (nvtxDomainHandle_t domain, const char* text),
              ((void)domain, (void)text, (nvtxStringHandle_t)0))
WARPFOLD_NVTX(void, nvtxDomainMarkEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event),
              ((void)domain, (void)event))
WARPFOLD_NVTX(int, nvtxDomainRangePushEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event),
              ((void)domain, (void)event, NVTX_NO_PUSH_POP_TRACKING))
WARPFOLD_NVTX(int, nvtxDomainRangePop, (nvtxDomainHandle_t domain), ((void)domain, NVTX_NO_PUSH_POP_TRACKING))
WARPFOLD_NVTX(nvtxRangeId_t, nvtxDomainRangeStartEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event),
              ((void)domain, (void)event, 0))
WARPFOLD_NVTX(void, nvtxDomainRangeEnd, (nvtxDomainHandle_t domain, nvtxRangeId_t range), ((void)domain, (void)range))
WARPFOLD_NVTX(void, nvtxDomainNameCategoryA, (nvtxDomainHandle_t domain, uint32_t category, const char* name),
              ((void)domain, (void)category, (void)name))
#undef WARPFOLD_NVTX

#if defined(UNICODE)
#define nvtxMark nvtxMarkW
#define nvtxRangePush nvtxRangePushW
#define nvtxRangeStart nvtxRangeStartW
#define nvtxDomainCreate nvtxDomainCreateW
#else
#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxDomainCreate nvtxDomainCreateA
#endif
