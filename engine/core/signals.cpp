#include "core/signals.hpp"

#include <optional>

namespace stressbench::signals {
namespace {

int users = 0;
std::optional<ScopedSignalHandler> ignored;

}  // namespace

SigxfszIgnored::SigxfszIgnored() noexcept {
  if (users++ == 0) ignored.emplace(SIGXFSZ, SIG_IGN);
}

SigxfszIgnored::~SigxfszIgnored() {
  if (--users == 0) ignored.reset();
}

}  // namespace stressbench::signals
