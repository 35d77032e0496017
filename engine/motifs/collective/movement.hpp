// Collectives that move data without reducing it: buffers divided into blocks, which --verify fills and checks.
#pragma once

#include <mpi.h>

#include <span>
#include <string>
#include <vector>

#include "core/buffer.hpp"
#include "motifs/collective/collective.hpp"
#include "motifs/collective/element.hpp"

namespace stressbench {

// A buffer of consecutive blocks, with the counts and displacements that MPI calls take.
class Blocks {
 public:
  Blocks() = default;
  Blocks(const std::vector<std::int64_t>& elements, Element element);

  std::byte* data() const noexcept { return memory_.data(); }
  int count(int index) const noexcept { return counts_[static_cast<std::size_t>(index)]; }
  const int* counts() const noexcept { return counts_.data(); }
  // Displacements in elements. Only valid if the last one fits into an int.
  const int* offsets() const noexcept { return offsets_.data(); }
  std::size_t byte_offset(int index) const noexcept { return element_offsets_[static_cast<std::size_t>(index)]; }
  int size() const noexcept { return static_cast<int>(counts_.size()); }
  std::span<std::byte> operator[](int index) const noexcept;

 private:
  std::size_t element_bytes_ = 1;
  Buffer memory_;
  std::vector<int> counts_;
  std::vector<int> offsets_;
  std::vector<std::size_t> element_offsets_;
};

// A part of a buffer that one rank sends to another. Data that all ranks receive has its sender as receiver, too.
struct Part {
  std::span<std::byte> bytes;
  int sender;
  int receiver;
};

class Movement : public Collective {
 public:
  void check(int ranks) const override;
  std::optional<Bytes> message_size() const final { return *size_; }
  std::string size_parameter() const final { return "size"; }
  std::string size_text(Bytes size) const final;
  void fill_payload(std::uint64_t pass) override;
  void verify(std::uint64_t pass) const final;

 protected:
  Movement(std::string function, Bytes size, std::string size_help, Forms forms = Forms::both);

  // The parts that this rank sends and receives in the next call.
  virtual std::vector<Part> outgoing() const = 0;
  virtual std::vector<Part> incoming() const = 0;

  Bytes size() const noexcept { return *size_; }
  Element element() const noexcept { return *element_; }
  // Elements of a block without skew.
  std::int64_t elements() const noexcept { return size_->value / type_of(*element_).size; }
  std::int64_t bytes_of(std::int64_t elements) const noexcept { return elements * type_of(*element_).size; }
  MPI_Datatype datatype() const noexcept { return datatype_; }
  Blocks blocks(const std::vector<std::int64_t>& elements);
  // Rejects sizes for which the int displacements of the v-variants overflow. `buffer_end`: the end of the largest
  // buffer, in the unit of the displacements.
  void check_displacements(std::int64_t buffer_end) const;

 private:
  Param<Bytes> size_;
  Param<Element> element_;
  MPI_Datatype datatype_ = MPI_DATATYPE_NULL;
};

}  // namespace stressbench
