// SPDX-License-Identifier: Apache-2.0
// cuSPARSE: what vectors and matrices are, and where.
#include <new>

#include "descriptors.h"

namespace warpfold::sparse {
namespace {

template <class Descriptor>
cusparseStatus_t create(Descriptor** to, const Descriptor& made) {
  *to = new (std::nothrow) Descriptor(made);
  return *to == nullptr ? CUSPARSE_STATUS_ALLOC_FAILED : CUSPARSE_STATUS_SUCCESS;
}
template <class Descriptor>
cusparseStatus_t destroy(const Descriptor* descriptor) {
  delete descriptor;
  return CUSPARSE_STATUS_SUCCESS;
}

template <class Value>
void put(Value* to, Value value) {
  if (to != nullptr) *to = value;
}

template <class Descriptor>
cusparseStatus_t get_values(Descriptor* descriptor, void** values) {
  if (descriptor == nullptr || values == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *values = descriptor->values;
  return CUSPARSE_STATUS_SUCCESS;
}
template <class Descriptor>
cusparseStatus_t set_values(Descriptor* descriptor, void* values) {
  if (descriptor == nullptr || values == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  descriptor->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}

// Arrays of no entries may be nowhere, and those of compressed matrices are told later where a conversion counts first.
cusparseStatus_t create_matrix(const char* call, cusparseSpMatDescr_t* to, cusparseIndexType_t major_type,
                               const cusparseSpMatDescr& made) {
  if (to == nullptr || made.rows < 0 || made.columns < 0 || made.count < 0 || !is_base(made.base))
    return CUSPARSE_STATUS_INVALID_VALUE;
  const bool lies = made.minor != nullptr && made.values != nullptr;
  if (made.count > 0 && (!lies || made.major == nullptr)) return CUSPARSE_STATUS_INVALID_VALUE;
  if (made.count > 0 && (made.rows == 0 || made.columns == 0)) return CUSPARSE_STATUS_INVALID_VALUE;
  if (!is_index(made.index_type) || major_type != made.index_type) return not_supported(call, kIndexTypes);
  return create(to, made);
}

cusparseStatus_t get_matrix(cusparseSpMatDescr_t matrix, cusparseFormat_t format, int64_t* rows, int64_t* columns,
                            int64_t* count, void** major, void** minor, void** values, cusparseIndexType_t* index_type,
                            cusparseIndexBase_t* base, cudaDataType* value_type) {
  if (matrix == nullptr || matrix->format != format) return CUSPARSE_STATUS_INVALID_VALUE;
  put(rows, matrix->rows);
  put(columns, matrix->columns);
  put(count, matrix->count);
  put(major, matrix->major);
  put(minor, matrix->minor);
  put(values, matrix->values);
  put(index_type, matrix->index_type);
  put(base, matrix->base);
  put(value_type, matrix->value_type);
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t set_pointers(cusparseSpMatDescr_t matrix, cusparseFormat_t format, void* major, void* minor,
                              void* values) {
  if (matrix == nullptr || matrix->format != format || major == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  if (matrix->count > 0 && (minor == nullptr || values == nullptr)) return CUSPARSE_STATUS_INVALID_VALUE;
  matrix->major = major;
  matrix->minor = minor;
  matrix->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace
}  // namespace warpfold::sparse

using namespace warpfold::sparse;

extern "C" {

cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t* vector, int64_t size, int64_t count, void* indices,
                                     void* values, cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                     cudaDataType value_type) {
  if (vector == nullptr || size < 0 || count < 0 || count > size || !is_base(base))
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (count > 0 && (indices == nullptr || values == nullptr)) return CUSPARSE_STATUS_INVALID_VALUE;
  if (!is_index(index_type)) return not_supported("cusparseCreateSpVec", kIndexTypes);
  return create(vector, {size, count, indices, values, index_type, base, value_type});
}
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t vector) { return destroy(vector); }
cusparseStatus_t cusparseSpVecGet(cusparseSpVecDescr_t vector, int64_t* size, int64_t* count, void** indices,
                                  void** values, cusparseIndexType_t* index_type, cusparseIndexBase_t* base,
                                  cudaDataType* value_type) {
  if (vector == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  put(size, vector->size);
  put(count, vector->count);
  put(indices, vector->indices);
  put(values, vector->values);
  put(index_type, vector->index_type);
  put(base, vector->base);
  put(value_type, vector->value_type);
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t vector, cusparseIndexBase_t* base) {
  if (vector == nullptr || base == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *base = vector->base;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVecGetValues(cusparseSpVecDescr_t vector, void** values) {
  return get_values(vector, values);
}
cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t vector, void* values) {
  return set_values(vector, values);
}

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t* vector, int64_t size, void* values,
                                     cudaDataType value_type) {
  if (vector == nullptr || size < 0 || (size > 0 && values == nullptr)) return CUSPARSE_STATUS_INVALID_VALUE;
  return create(vector, {size, values, value_type});
}
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vector) { return destroy(vector); }
cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t vector, int64_t* size, void** values, cudaDataType* value_type) {
  if (vector == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  put(size, vector->size);
  put(values, vector->values);
  put(value_type, vector->value_type);
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t vector, void** values) {
  return get_values(vector, values);
}
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t vector, void* values) {
  return set_values(vector, values);
}

cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t* matrix, int64_t rows, int64_t columns, int64_t count,
                                   void* row_indices, void* column_indices, void* values,
                                   cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType value_type) {
  return create_matrix(
      "cusparseCreateCoo", matrix, index_type,
      {CUSPARSE_FORMAT_COO, rows, columns, count, row_indices, column_indices, values, index_type, base, value_type});
}
cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t* matrix, int64_t rows, int64_t columns, int64_t count,
                                   void* row_offsets, void* column_indices, void* values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t base, cudaDataType value_type) {
  return create_matrix(
      "cusparseCreateCsr", matrix, offset_type,
      {CUSPARSE_FORMAT_CSR, rows, columns, count, row_offsets, column_indices, values, index_type, base, value_type});
}
cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t* matrix, int64_t rows, int64_t columns, int64_t count,
                                   void* column_offsets, void* row_indices, void* values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t base, cudaDataType value_type) {
  return create_matrix(
      "cusparseCreateCsc", matrix, offset_type,
      {CUSPARSE_FORMAT_CSC, rows, columns, count, column_offsets, row_indices, values, index_type, base, value_type});
}
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix) { return destroy(matrix); }
cusparseStatus_t cusparseCooGet(cusparseSpMatDescr_t matrix, int64_t* rows, int64_t* columns, int64_t* count,
                                void** row_indices, void** column_indices, void** values,
                                cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* value_type) {
  return get_matrix(matrix, CUSPARSE_FORMAT_COO, rows, columns, count, row_indices, column_indices, values, index_type,
                    base, value_type);
}
cusparseStatus_t cusparseCsrGet(cusparseSpMatDescr_t matrix, int64_t* rows, int64_t* columns, int64_t* count,
                                void** row_offsets, void** column_indices, void** values,
                                cusparseIndexType_t* offset_type, cusparseIndexType_t* index_type,
                                cusparseIndexBase_t* base, cudaDataType* value_type) {
  const auto status = get_matrix(matrix, CUSPARSE_FORMAT_CSR, rows, columns, count, row_offsets, column_indices, values,
                                 index_type, base, value_type);
  if (status == CUSPARSE_STATUS_SUCCESS) put(offset_type, matrix->index_type);
  return status;
}
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t matrix, void* row_indices, void* column_indices,
                                        void* values) {
  return set_pointers(matrix, CUSPARSE_FORMAT_COO, row_indices, column_indices, values);
}
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t matrix, void* row_offsets, void* column_indices,
                                        void* values) {
  return set_pointers(matrix, CUSPARSE_FORMAT_CSR, row_offsets, column_indices, values);
}
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t matrix, void* column_offsets, void* row_indices,
                                        void* values) {
  return set_pointers(matrix, CUSPARSE_FORMAT_CSC, column_offsets, row_indices, values);
}
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t matrix, int64_t* rows, int64_t* columns,
                                      int64_t* count) {
  if (matrix == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  put(rows, matrix->rows);
  put(columns, matrix->columns);
  put(count, matrix->count);
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t matrix, cusparseFormat_t* format) {
  if (matrix == nullptr || format == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *format = matrix->format;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t matrix, cusparseIndexBase_t* base) {
  if (matrix == nullptr || base == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *base = matrix->base;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t matrix, void** values) {
  return get_values(matrix, values);
}
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t matrix, void* values) {
  return set_values(matrix, values);
}

cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t* matrix, int64_t rows, int64_t columns, int64_t leading,
                                     void* values, cudaDataType value_type, cusparseOrder_t order) {
  if (matrix == nullptr || rows < 0 || columns < 0 || (order != CUSPARSE_ORDER_COL && order != CUSPARSE_ORDER_ROW))
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (leading < (order == CUSPARSE_ORDER_COL ? rows : columns)) return CUSPARSE_STATUS_INVALID_VALUE;
  if (rows > 0 && columns > 0 && values == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  return create(matrix, {rows, columns, leading, values, value_type, order});
}
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t matrix) { return destroy(matrix); }
cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t matrix, int64_t* rows, int64_t* columns, int64_t* leading,
                                  void** values, cudaDataType* value_type, cusparseOrder_t* order) {
  if (matrix == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  put(rows, matrix->rows);
  put(columns, matrix->columns);
  put(leading, matrix->leading);
  put(values, matrix->values);
  put(value_type, matrix->value_type);
  put(order, matrix->order);
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t matrix, void** values) {
  return get_values(matrix, values);
}
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t matrix, void* values) {
  return set_values(matrix, values);
}

}  // extern "C"
