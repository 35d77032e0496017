#include "motifs/collective/element.hpp"

#include <cstring>

namespace stressbench {
namespace {

template <class T, MPI_Datatype (*Handle)()>
constexpr ElementType element_type() {
  return {sizeof(T), Handle,
          [](std::byte* element, std::int64_t value) {
            const T stored = static_cast<T>(value);
            std::memcpy(element, &stored, sizeof stored);
          },
          [](const std::byte* element) {
            T stored;
            std::memcpy(&stored, element, sizeof stored);
            return static_cast<double>(stored);
          },
          [](std::int64_t value) { return static_cast<double>(static_cast<T>(value)); }};
}

MPI_Datatype of_double() { return MPI_DOUBLE; }
MPI_Datatype of_float() { return MPI_FLOAT; }
MPI_Datatype of_long() { return MPI_LONG; }
MPI_Datatype of_int() { return MPI_INT; }
MPI_Datatype of_short() { return MPI_SHORT; }
MPI_Datatype of_char() { return MPI_SIGNED_CHAR; }  // MPI_CHAR does not support reductions

}  // namespace

const ElementType& type_of(Element element) {
  static constexpr std::array types{element_type<double, of_double>(), element_type<float, of_float>(),
                                    element_type<long, of_long>(),     element_type<int, of_int>(),
                                    element_type<short, of_short>(),   element_type<signed char, of_char>()};
  return types[static_cast<std::size_t>(element)];
}

std::int64_t whole_elements(Bytes size, Element element) {
  const std::int64_t element_bytes = type_of(element).size;
  if (size.value % element_bytes != 0) {
    throw UserMistake("size: {} is not a multiple of {}s of {} bytes", units::spell(size),
                      Spelling<Element>::write(element), element_bytes);
  }
  return size.value / element_bytes;
}

}  // namespace stressbench
