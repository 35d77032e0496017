#include "core/signals.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <optional>

#include "io/mapping.hpp"

namespace stressbench::signals {
namespace {

using Action = void (*)(int);

Action action_of(int signal) {
  struct sigaction now {};
  sigaction(signal, nullptr, &now);
  return now.sa_handler;
}

void ours(int) {}

TEST(Signals, AHandlerIsReplacedByThePreviousOneAtItsEnd) {
  const Action before = action_of(SIGUSR2);
  {
    const ScopedSignalHandler outer{SIGUSR2, ours};
    EXPECT_EQ(action_of(SIGUSR2), ours);
    {
      const ScopedSignalHandler inner{SIGUSR2, SIG_IGN};
      EXPECT_EQ(action_of(SIGUSR2), SIG_IGN);
    }
    EXPECT_EQ(action_of(SIGUSR2), ours);
  }
  EXPECT_EQ(action_of(SIGUSR2), before);
}

TEST(Signals, TheLimitOnFileSizesIsAnErrorUntilTheLastUserEnds) {
  const Action before = action_of(SIGXFSZ);
  auto first = std::optional<SigxfszIgnored>(std::in_place);
  auto second = std::make_unique<SigxfszIgnored>();
  EXPECT_EQ(action_of(SIGXFSZ), SIG_IGN);
  first.reset();
  EXPECT_EQ(action_of(SIGXFSZ), SIG_IGN) << "the second one still needs it";
  first.emplace();
  first.reset();
  EXPECT_EQ(action_of(SIGXFSZ), SIG_IGN);
  second.reset();
  EXPECT_EQ(action_of(SIGXFSZ), before);
}

TEST(Signals, AMissingPageIsAnErrorUntilTheLastUserEnds) {
  using io::SigbusCaught;
  const Action before = action_of(SIGBUS);
  auto first = std::optional<SigbusCaught>(std::in_place);
  const auto caught = action_of(SIGBUS);
  EXPECT_NE(caught, before);
  auto second = std::make_unique<SigbusCaught>();
  first.reset();
  EXPECT_EQ(action_of(SIGBUS), caught) << "the second one still needs it";
  second.reset();
  EXPECT_EQ(action_of(SIGBUS), before);
}

}  // namespace
}  // namespace stressbench::signals
