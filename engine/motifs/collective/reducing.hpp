// Collectives that reduce elements of all ranks: the input of each rank and the expected result.
#pragma once

#include <mpi.h>

#include <string>

#include "core/buffer.hpp"
#include "motifs/collective/collective.hpp"
#include "motifs/collective/element.hpp"
#include "motifs/collective/reduction.hpp"

namespace stressbench {

class Reducing : public Collective {
 public:
  void check(int ranks) const override;
  Traffic traffic(int ranks) const final;
  std::optional<Bytes> message_size() const final { return Bytes{*count_option_ * element_bytes()}; }
  std::string size_parameter() const final { return "count"; }
  std::string size_text(Bytes size) const final { return std::to_string(whole_elements(size, *type_)); }
  std::optional<Bandwidth> bandwidth(int ranks) const final;
  void fill_payload(std::uint64_t pass) override;
  void verify(std::uint64_t pass) const final;

 protected:
  // Elements `first` to `first` + `elements` - 1 of the reduction over ranks 0 to `ranks` - 1, at the start of the
  // result buffer. No elements: no result on this rank.
  struct Result {
    std::int64_t first = 0;
    std::int64_t elements = 0;
    int ranks = 0;
  };

  Reducing(std::string function, std::string count_help);

  // Elements that each rank contributes.
  virtual std::int64_t contributed_elements(int ranks) const {
    (void)ranks;
    return *count_option_;
  }
  // The result that this rank gets from the next call.
  virtual Result result() const = 0;
  // Whether this rank passes MPI_IN_PLACE, with its input in the result buffer: in the next call, and in every call.
  virtual bool uses_in_place() const { return *in_place_; }
  virtual bool always_uses_in_place() const { return uses_in_place(); }
  void lay_out(const mpi::Group& group) override;

  std::int64_t count() const noexcept { return *count_option_; }
  bool in_place() const noexcept { return *in_place_; }
  // Element and reduction in lists of calls: a type of the same size.
  calls::ElementType listed_type() const;
  calls::ReduceOp listed_operation() const;
  const void* send_buffer() const { return uses_in_place() ? MPI_IN_PLACE : input_.data(); }
  void* receive_buffer() const noexcept { return result_.data(); }
  int int_count() const noexcept { return static_cast<int>(*count_option_); }
  MPI_Datatype datatype() const noexcept { return datatype_; }
  MPI_Op operation() const noexcept { return operation_; }

 private:
  std::int64_t element_bytes() const { return type_of(*type_).size; }
  std::size_t offset(std::int64_t element) const { return static_cast<std::size_t>(element * element_bytes()); }
  void fill_with_ones(const Buffer& buffer) const;

  Param<std::int64_t> count_option_;
  Param<Element> type_{this, "type", Element::double_, "type of an element; char is a signed 8-bit number"};
  Param<Reduction> reduction_{this, "op", Reduction::sum, "reduction operation"};
  Param<bool> in_place_{this, "in-place", "the result replaces the input (MPI_IN_PLACE)"};

  MPI_Datatype datatype_ = MPI_DATATYPE_NULL;
  MPI_Op operation_ = MPI_OP_NULL;
  Buffer input_;
  Buffer result_;
};

}  // namespace stressbench
