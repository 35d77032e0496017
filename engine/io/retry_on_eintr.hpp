// Repeats a system call until no signal interrupts it.
#pragma once

#include <cerrno>

namespace stressbench::io {

template <class Call>
auto retry_on_eintr(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace stressbench::io
