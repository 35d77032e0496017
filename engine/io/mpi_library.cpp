#include "io/mpi_library.hpp"

#include <algorithm>
#include <array>

namespace stressbench::io {

std::string mpi_error_text(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> words{};
  int length = 0;
  MPI_Error_string(code, words.data(), &length);
  std::string text(words.data(), static_cast<std::size_t>(length));
  if (text.find("(unknown)") != std::string::npos) {
    int kind = code;
    MPI_Error_class(code, &kind);
    if (kind != code) return mpi_error_text(kind);
  }
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace stressbench::io
