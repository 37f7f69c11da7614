// SPDX-License-Identifier: Apache-2.0
// For programs that include it by name: cusparse.h has it.
#pragma once
#include "cusparse.h"
