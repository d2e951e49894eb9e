// The memory layout of DLPack, version 0 (capsules named "dltensor"), as far as it is used here.
#pragma once

#include <cstdint>

namespace fastvbench::python {

struct DLDevice {
  std::int32_t type;
  std::int32_t index;
};
constexpr std::int32_t kDLCuda = 2;
constexpr std::int32_t kDLCudaManaged = 13;

struct DLDataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};
constexpr std::uint8_t kDLInt = 0;
constexpr std::uint8_t kDLUInt = 1;
constexpr std::uint8_t kDLFloat = 2;
constexpr std::uint8_t kDLBfloat = 4;
constexpr std::uint8_t kDLBool = 6;

struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t dimension_count;
  DLDataType type;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: C-contiguous
  std::uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor tensor;
  void* context;
  void (*deleter)(DLManagedTensor* self);
};

}  // namespace fastvbench::python
