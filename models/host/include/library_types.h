// SPDX-License-Identifier: Apache-2.0
// What the interfaces of libraries share.
#pragma once
#define __LIBRARY_TYPES_H__

typedef enum libraryPropertyType_t { MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL } libraryPropertyType;
