#include "io/fault.hpp"

#include <system_error>

#include "core/error.hpp"

namespace stressbench::io {

std::string words_of(int error) { return std::generic_category().message(error); }

void raise(std::string_view call, const std::string& path, int error) {
  throw MachineFault("{} '{}': {}", call, path, words_of(error));
}

void raise(const Partial& partial, const std::string& path, std::string_view words) {
  throw MachineFault("{} '{}': {} {} of {} bytes at offset {}: {}", partial.call, path, partial.did, partial.done,
                     partial.length, partial.offset, words);
}

}  // namespace stressbench::io
