#include "io/fault.hpp"

#include <system_error>

#include "core/error.hpp"

namespace stressbench::io {

std::string error_text(int error) { return std::generic_category().message(error); }

void throw_io_fault(std::string_view call, const std::string& path, int error) {
  throw MachineFault("{} '{}': {}", call, path, error_text(error));
}

void throw_io_fault(const Partial& partial, const std::string& path, std::string_view text) {
  throw MachineFault("{} '{}': {} {} of {} bytes at offset {}: {}", partial.call, path, partial.verb, partial.done,
                     partial.length, partial.offset, text);
}

}  // namespace stressbench::io
