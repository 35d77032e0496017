#include "motifs/point_to_point/layout.hpp"

#include <array>
#include <limits>
#include <vector>

namespace stressbench {
namespace {

constexpr std::int64_t max_bytes = std::numeric_limits<int>::max();

// All layouts describe the same memory: `blocks` blocks of `block` bytes, each `stride` bytes after the previous one.
mpi::Datatype make_type(Layout layout, int blocks, int block, int stride) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  switch (layout) {
    case Layout::contiguous:
      mpi::check(MPI_Type_contiguous(blocks * block, MPI_BYTE, &type), "MPI_Type_contiguous");
      break;
    case Layout::vector:
      mpi::check(MPI_Type_vector(blocks, block, stride, MPI_BYTE, &type), "MPI_Type_vector");
      break;
    case Layout::subarray: {
      const std::array sizes{blocks, stride};
      const std::array subsizes{blocks, block};
      const std::array starts{0, 0};
      mpi::check(
          MPI_Type_create_subarray(2, sizes.data(), subsizes.data(), starts.data(), MPI_ORDER_C, MPI_BYTE, &type),
          "MPI_Type_create_subarray");
      break;
    }
    case Layout::indexed: {
      const std::vector<int> lengths(static_cast<std::size_t>(blocks), block);
      std::vector<int> displacements;
      for (int i = 0; i < blocks; ++i) displacements.push_back(i * stride);
      mpi::check(MPI_Type_indexed(blocks, lengths.data(), displacements.data(), MPI_BYTE, &type), "MPI_Type_indexed");
      break;
    }
  }
  return mpi::Datatype::commit(type);
}

// Calls copy(offset in a packed buffer, offset in memory) for each block. The functions of payload:: need packed
// buffers.
template <class Copy>
void for_each_block(std::size_t size, std::size_t block, std::size_t stride, Copy copy) {
  for (std::size_t packed = 0, strided = 0; packed < size; packed += block, strided += stride) copy(packed, strided);
}

}  // namespace

Message::Message(Bytes size)
    : memory_(size), count_(static_cast<int>(size.value)), size_(static_cast<std::size_t>(size.value)) {}

Message::Message(Layout layout, Bytes size, Bytes block, Bytes stride)
    : size_(static_cast<std::size_t>(size.value)),
      block_(static_cast<std::size_t>(block.value)),
      stride_(static_cast<std::size_t>(stride.value)) {
  if (layout == Layout::contiguous || size.value == 0) {
    *this = Message(size);
    return;
  }
  const std::int64_t blocks = size.value / block.value;
  memory_ = Buffer(Bytes{blocks * stride.value});
  derived_ = make_type(layout, static_cast<int>(blocks), static_cast<int>(block.value), static_cast<int>(stride.value));
  count_ = 1;
}

void Message::fill(const payload::Origin& origin) const {
  if (block_ == 0) return payload::fill(memory_.bytes(), origin);
  std::vector<std::byte> packed(size_);
  payload::fill(packed, origin);
  for_each_block(size_, block_, stride_, [&](std::size_t from, std::size_t to) {
    std::memcpy(memory_.data() + to, packed.data() + from, block_);
  });
}

void Message::poison(const payload::Origin& origin) const {
  if (block_ == 0) return payload::poison(memory_.bytes(), origin);
  std::vector<std::byte> packed(size_);
  payload::poison(packed, origin);
  for_each_block(size_, block_, stride_, [&](std::size_t from, std::size_t to) {
    std::memcpy(memory_.data() + to, packed.data() + from, block_);
  });
}

void Message::check(const payload::Origin& origin) const {
  if (block_ == 0) return payload::check(memory_.bytes(), origin);
  std::vector<std::byte> packed(size_);
  for_each_block(size_, block_, stride_, [&](std::size_t to, std::size_t from) {
    std::memcpy(packed.data() + to, memory_.data() + from, block_);
  });
  payload::check(packed, origin);
}

LayoutChoice::LayoutChoice(ParameterSet* owner)
    : layout_{owner, "layout", Layout::contiguous,
              "layout of a message in memory: contiguous, or blocks described by an MPI_Type_... call"},
      block_{owner, "block", Bytes{8}, "bytes of a block, if the layout has gaps", Positive{}, FitsMessage{}},
      stride_{owner,      "stride",     Bytes{16}, "from the start of a block to that of the next one",
              Positive{}, FitsMessage{}} {}

void LayoutChoice::check(Bytes size) const {
  if (*layout_ == Layout::contiguous) {
    for (const Parameter* unused : {static_cast<const Parameter*>(&block_), static_cast<const Parameter*>(&stride_)}) {
      if (!unused->was_given()) continue;
      reject(unused->name(), "a contiguous message has no gaps; --layout vector, subarray or indexed has");
    }
    return;
  }
  if (*stride_ < *block_)
    reject("stride", "blocks of {} bytes overlap at {}; at least {}", block_->value, stride_->value, block_->value);
  if (size.value % block_->value != 0)
    reject("block", "{} does not divide a message of {} bytes", block_->value, size.value);
  const std::int64_t extent = size.value / block_->value * stride_->value;
  if (extent > max_bytes)
    reject("stride", "{} blocks take {} bytes of memory, at most {} fit", size.value / block_->value, extent,
           max_bytes);
}

Message LayoutChoice::message(Bytes size) const { return {*layout_, size, *block_, *stride_}; }

}  // namespace stressbench
