// Element types of the collectives, and access to elements as whole numbers.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "core/parameter.hpp"

namespace stressbench {

enum class Element { double_, float_, long_, int_, short_, char_ };

struct ElementType {
  std::int64_t size;
  MPI_Datatype (*handle)();
  void (*write)(std::byte* element, std::int64_t value);
  double (*read)(const std::byte* element);
  double (*as_stored)(std::int64_t value);  // after conversion; wraps around like the sum if the type is too narrow
};

const ElementType& type_of(Element element);

// Returns the number of elements in `size` bytes. Throws UserMistake if it is not a whole number.
std::int64_t whole_elements(Bytes size, Element element);

}  // namespace stressbench
