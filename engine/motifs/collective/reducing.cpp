#include "motifs/collective/reducing.hpp"

namespace stressbench {

Reducing::Reducing(std::string function, std::string count_help)
    : Collective(std::move(function)), count_option_(this, 'c', "count", 1, std::move(count_help), AtMost{int_max}) {}

void Reducing::check(int ranks) const {
  Collective::check(ranks);
  if (contributed_elements(ranks) <= int_max) return;
  reject("count", "{} makes vectors of {} elements, more than a call accepts; at most {}", count(),
         contributed_elements(ranks), count() * int_max / contributed_elements(ranks));
}

Traffic Reducing::traffic(int ranks) const {
  return {.collectives = 1, .collective_bytes = ranks * contributed_elements(ranks) * element_bytes()};
}

std::optional<Bandwidth> Reducing::bandwidth(int ranks) const {
  return Bandwidth{static_cast<double>(contributed_elements(ranks) * element_bytes()),
                   "bytes of one rank's vector / time of the call"};
}

void Reducing::lay_out(const mpi::Group&) {
  const std::int64_t elements = contributed_elements(ranks_);
  datatype_ = type_of(*type_).handle();
  operation_ = operation_of(*reduction_);
  input_ = always_uses_in_place() ? Buffer() : Buffer(offset(elements));
  result_ = Buffer(offset(elements));
  fill_with_ones(input_);
  fill_with_ones(result_);
}

calls::ElementType Reducing::listed_type() const {
  switch (element_bytes()) {
    case 1:
      return calls::ElementType::bytes;
    case 2:
      return calls::ElementType::shorts;
    case 4:
      return *type_ == Element::float_ ? calls::ElementType::floats : calls::ElementType::ints;
    default:
      return calls::ElementType::doubles;
  }
}

calls::ReduceOp Reducing::listed_operation() const {
  switch (*reduction_) {
    case Reduction::sum:
      return calls::ReduceOp::sum;
    case Reduction::min:
      return calls::ReduceOp::min;
    case Reduction::max:
      return calls::ReduceOp::max;
    case Reduction::prod:
      return calls::ReduceOp::user;
  }
  return calls::ReduceOp::user;
}

void Reducing::fill_payload(std::uint64_t pass) {
  const ElementType& type = type_of(*type_);
  const Result expected_result = result();
  // Overwrites the expected results with wrong numbers.
  for (std::int64_t k = 0; k < expected_result.elements; ++k) {
    const std::int64_t value =
        reduced(*reduction_, expected_result.ranks, static_cast<std::size_t>(expected_result.first + k), pass);
    type.write(result_.data() + offset(k), value - 5);
  }
  const Buffer& buffer = uses_in_place() ? result_ : input_;
  for (std::int64_t k = 0; k < contributed_elements(ranks_); ++k) {
    type.write(buffer.data() + offset(k), contribution(*reduction_, rank_, static_cast<std::size_t>(k), pass));
  }
}

void Reducing::verify(std::uint64_t pass) const {
  const ElementType& type = type_of(*type_);
  const Result expected_result = result();
  for (std::int64_t k = 0; k < expected_result.elements; ++k) {
    const double expected = type.as_stored(
        reduced(*reduction_, expected_result.ranks, static_cast<std::size_t>(expected_result.first + k), pass));
    const double received = type.read(result_.data() + offset(k));
    if (received == expected) continue;
    throw MachineFault("wrong element: rank {} got {} from {} as element {} (offset {}), expected {}", rank_, received,
                       mpi_function(), k, offset(k), expected);
  }
}

// Fills with ones: any reduction of them is a normal floating-point number, so that arithmetic takes its usual time.
void Reducing::fill_with_ones(const Buffer& buffer) const {
  const ElementType& type = type_of(*type_);
  for (std::size_t at = 0; at < buffer.size(); at += offset(1)) type.write(buffer.data() + at, 1);
}

}  // namespace stressbench
