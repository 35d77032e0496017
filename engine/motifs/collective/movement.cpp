#include "motifs/collective/movement.hpp"

#include "core/payload.hpp"

namespace stressbench {

Blocks::Blocks(const std::vector<std::int64_t>& elements, Element element)
    : element_bytes_(static_cast<std::size_t>(type_of(element).size)) {
  std::int64_t offset = 0;
  for (const std::int64_t count : elements) {
    counts_.push_back(static_cast<int>(count));
    if (offset <= int_max) offsets_.push_back(static_cast<int>(offset));
    element_offsets_.push_back(static_cast<std::size_t>(offset) * element_bytes_);
    offset += count;
  }
  memory_ = Buffer(static_cast<std::size_t>(offset) * element_bytes_);
}

std::span<std::byte> Blocks::operator[](int index) const noexcept {
  return memory_.bytes(byte_offset(index), static_cast<std::size_t>(count(index)) * element_bytes_);
}

Movement::Movement(std::string function, Bytes size, std::string size_help, Forms forms)
    : Collective(std::move(function), forms),
      size_(this, 's', "size", size, std::move(size_help), FitsMessage{}),
      element_(this, "type", Element::char_, "type of an element; char is a signed 8-bit number") {}

void Movement::check(int ranks) const {
  Collective::check(ranks);
  try {
    whole_elements(*size_, *element_);
  } catch (const UserMistake& mistake) {
    throw ParameterMistake("size", std::string("--") + mistake.what());
  }
}

std::string Movement::size_text(Bytes size) const {
  whole_elements(size, *element_);
  return units::spell(size);
}

void Movement::check_displacements(std::int64_t buffer_end) const {
  if (buffer_end <= int_max) return;
  reject("size", "{} makes buffers larger than MPI displacements allow; at most {} bytes", size_.text(),
         bytes_of(elements() * int_max / buffer_end));
}

Blocks Movement::blocks(const std::vector<std::int64_t>& elements) {
  datatype_ = type_of(*element_).handle();
  return {elements, *element_};
}

// Poisons the received parts first: with MPI_IN_PLACE, the data to send is in the receive buffer.
void Movement::fill_payload(std::uint64_t pass) {
  for (const Part& part : incoming()) payload::poison(part.bytes, {part.sender, part.receiver, pass});
  for (const Part& part : outgoing()) payload::fill(part.bytes, {part.sender, part.receiver, pass});
}

void Movement::verify(std::uint64_t pass) const {
  for (const Part& part : incoming()) {
    const payload::Origin origin{part.sender, part.receiver, pass};
    const auto offset = payload::first_wrong(part.bytes, origin);
    if (!offset) continue;
    throw WrongByte(part.sender, rank_, static_cast<std::int64_t>(*offset),
                    std::to_integer<int>(payload::expected(origin, *offset)),
                    std::to_integer<int>(part.bytes[*offset]));
  }
}

}  // namespace stressbench
