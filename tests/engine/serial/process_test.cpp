#include "core/process.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace stressbench::test {
namespace {

// A child that sleeps until it is killed.
class Child {
 public:
  Child() : pid_(::fork()) {
    if (pid_ == 0) {
      ::prctl(PR_SET_NAME, ") Z 1 (");
      for (;;) ::pause();
    }
  }
  ~Child() {
    kill();
    ::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  // Leaves a zombie: its status has not been collected.
  void kill() const {
    ::kill(pid_, SIGKILL);
    siginfo_t ended{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

TEST(Process, RunsFromItsStartToItsEnd) {
  const Child child;
  const auto start = start_of_process(child.pid());
  ASSERT_TRUE(start);
  EXPECT_TRUE(is_running(child.pid(), start));
  EXPECT_TRUE(is_running(child.pid(), std::nullopt));
}

TEST(Process, ThatNobodyHasReapedHasEnded) {
  const Child child;
  const auto start = start_of_process(child.pid());
  child.kill();
  EXPECT_FALSE(is_running(child.pid(), start));
  EXPECT_FALSE(is_running(child.pid(), std::nullopt));
  EXPECT_EQ(start_of_process(child.pid()), std::nullopt);
}

TEST(Process, ThatGotTheNumberOfAnotherIsNotTheOther) {
  const auto start = start_of_process(::getpid());
  ASSERT_TRUE(start);
  EXPECT_FALSE(is_running(::getpid(), *start - 1));
}

TEST(Process, OfNoNumberDoesNotRun) {
  for (const std::int64_t pid : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 32}) {
    EXPECT_FALSE(is_running(pid, std::nullopt)) << pid;
  }
}

}  // namespace
}  // namespace stressbench::test
