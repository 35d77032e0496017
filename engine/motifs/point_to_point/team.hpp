// A team of threads that executes a function together, as often as needed.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace stressbench {

class Team {
 public:
  // `work` gets the number of the member, 0 .. members - 1. The caller of `run` is member 0.
  Team(int members, std::function<void(int)> work);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team();

  // Every member executes `work` once. Rethrows an exception of a member. Allocates no memory.
  void run();

 private:
  void worker_loop(int member);

  std::function<void(int)> work_;
  std::atomic<int> generation_{0};
  std::atomic<int> active_{0};
  std::atomic<bool> stopping_{false};
  std::vector<std::exception_ptr> exceptions_;  // by member
  std::vector<std::jthread> threads_;
};

}  // namespace stressbench
