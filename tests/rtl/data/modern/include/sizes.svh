// SPDX-License-Identifier: Apache-2.0
`define INDEX_WIDTH(n) (n < `AT_LEAST ? 1 : $clog2(n))
