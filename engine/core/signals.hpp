// RAII changes of the process's signal handling.
#pragma once

#include <csignal>

namespace stressbench::signals {

// Set by the handlers of stop signals (scheduler/interrupt.hpp); polled by long operations before the first round.
inline volatile std::sig_atomic_t stop_requested = 0;

// Installs a signal handler; the destructor restores the previous one.
class ScopedSignalHandler {
 public:
  ScopedSignalHandler(int signal, void (*handler)(int), int flags = 0) noexcept : signal_(signal) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, &previous_);
  }
  ScopedSignalHandler(const ScopedSignalHandler&) = delete;
  ScopedSignalHandler& operator=(const ScopedSignalHandler&) = delete;
  ~ScopedSignalHandler() { sigaction(signal_, &previous_, nullptr); }

 private:
  int signal_;
  struct sigaction previous_ {};
};

// While any object of this class exists, a write beyond the file size limit fails with EFBIG, like other file system
// errors, instead of killing the process by SIGXFSZ.
class SigxfszIgnored {
 public:
  SigxfszIgnored() noexcept;
  SigxfszIgnored(const SigxfszIgnored&) = delete;
  SigxfszIgnored& operator=(const SigxfszIgnored&) = delete;
  ~SigxfszIgnored();
};

}  // namespace stressbench::signals
