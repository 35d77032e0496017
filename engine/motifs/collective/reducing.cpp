#include "motifs/collective/reducing.hpp"

namespace stressbench {

Reducing::Reducing(std::string function, std::string count_help)
    : Collective(std::move(function)), count_given_(this, 'c', "count", 1, std::move(count_help), AtMost{int_max}) {}

void Reducing::check(int ranks) const {
  Collective::check(ranks);
  if (given(ranks) <= int_max) return;
  reject("count", "{} makes vectors of {} elements, more than a call accepts; at most {}", count(), given(ranks),
         count() * int_max / given(ranks));
}

Traffic Reducing::traffic(int ranks) const {
  return {.collectives = 1, .collective_bytes = ranks * given(ranks) * element_bytes()};
}

std::optional<Bandwidth> Reducing::bandwidth(int ranks) const {
  return Bandwidth{static_cast<double>(given(ranks) * element_bytes()),
                   "bytes of one rank's vector / time of the call"};
}

void Reducing::lay_out(const mpi::Group&) {
  const std::int64_t elements = given(ranks_);
  datatype_ = type_of(*type_).handle();
  operation_ = operation_of(*reduction_);
  own_ = always_gives_in_place() ? Buffer() : Buffer(offset(elements));
  result_ = Buffer(offset(elements));
  fill_with_ones(own_);
  fill_with_ones(result_);
}

void Reducing::fill_payload(std::uint64_t pass) {
  const ElementType& type = type_of(*type_);
  const Result due = result();
  // Overwrites the expected results with wrong numbers.
  for (std::int64_t k = 0; k < due.elements; ++k) {
    const std::int64_t right = reduced(*reduction_, due.ranks, static_cast<std::size_t>(due.first + k), pass);
    type.write(result_.data() + offset(k), right - 5);
  }
  const Buffer& vector = gives_in_place() ? result_ : own_;
  for (std::int64_t k = 0; k < given(ranks_); ++k) {
    type.write(vector.data() + offset(k), contribution(*reduction_, rank_, static_cast<std::size_t>(k), pass));
  }
}

void Reducing::verify(std::uint64_t pass) const {
  const ElementType& type = type_of(*type_);
  const Result due = result();
  for (std::int64_t k = 0; k < due.elements; ++k) {
    const double expected =
        type.as_stored(reduced(*reduction_, due.ranks, static_cast<std::size_t>(due.first + k), pass));
    const double found = type.read(result_.data() + offset(k));
    if (found == expected) continue;
    throw MachineFault("wrong element: rank {} got {} from {} as element {} (offset {}), expected {}", rank_, found,
                       called(), k, offset(k), expected);
  }
}

// Fills with ones: any reduction of them is a normal floating-point number, so that arithmetic takes its usual time.
void Reducing::fill_with_ones(const Buffer& vector) const {
  const ElementType& type = type_of(*type_);
  for (std::size_t at = 0; at < vector.size(); at += offset(1)) type.write(vector.data() + at, 1);
}

}  // namespace stressbench
