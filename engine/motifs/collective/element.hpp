// What collectives move and reduce: numbers of a type, seen from outside as whole numbers.
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
  double (*as_stored)(std::int64_t value);  // wraps around where the type is too narrow, as the sum itself does
};

const ElementType& type_of(Element element);

// How many elements those bytes are; throws UserMistake where they are no whole number of them.
std::int64_t whole_elements(Bytes size, Element element);

}  // namespace stressbench
