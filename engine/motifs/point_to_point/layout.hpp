// Layout of a message in memory: contiguous, or blocks with gaps, described by one of three kinds of derived datatype.
#pragma once

#include <mpi.h>

#include "core/buffer.hpp"
#include "core/parameter.hpp"
#include "core/payload.hpp"
#include "mpi/datatype.hpp"

namespace stressbench {

enum class Layout { contiguous, vector, subarray, indexed };

// A message's memory and its MPI datatype. Sizes exclude the gaps.
class Message {
 public:
  Message() = default;
  explicit Message(Bytes size);                                   // contiguous
  Message(Layout layout, Bytes size, Bytes block, Bytes stride);  // size is a whole number of blocks

  std::byte* data() const noexcept { return memory_.data(); }
  int count() const noexcept { return count_; }
  MPI_Datatype type() const noexcept { return derived_.handle() == MPI_DATATYPE_NULL ? MPI_BYTE : derived_.handle(); }

  void fill(const payload::Origin& origin) const;
  void poison(const payload::Origin& origin) const;
  void check(const payload::Origin& origin) const;

 private:
  Buffer memory_;
  mpi::Datatype derived_;
  int count_ = 0;
  std::size_t size_ = 0;
  std::size_t block_ = 0;  // 0: contiguous
  std::size_t stride_ = 0;
};

// Parameters of a motif with a choice of message layouts.
class LayoutChoice {
 public:
  explicit LayoutChoice(ParameterSet* owner);
  // Throws ParameterMistake if a message of this size cannot have this layout.
  void check(Bytes size) const;
  Message message(Bytes size) const;

 private:
  Param<Layout> layout_;
  Param<Bytes> block_;
  Param<Bytes> stride_;
};

}  // namespace stressbench
