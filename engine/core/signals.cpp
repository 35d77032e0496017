#include "core/signals.hpp"

#include <optional>

namespace stressbench::signals {
namespace {

int users = 0;
std::optional<Handler> ignored;

}  // namespace

FileSizeLimitIsAnError::FileSizeLimitIsAnError() noexcept {
  if (users++ == 0) ignored.emplace(SIGXFSZ, SIG_IGN);
}

FileSizeLimitIsAnError::~FileSizeLimitIsAnError() {
  if (--users == 0) ignored.reset();
}

}  // namespace stressbench::signals
