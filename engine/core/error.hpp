// The two kinds of errors that the engine throws: user mistakes and machine faults.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace stressbench {

// Exit statuses of all commands.
inline constexpr int exit_success = 0;
inline constexpr int exit_user_mistake = 2;
inline constexpr int exit_machine_fault = 3;
inline constexpr int exit_interrupted = 130;

// An error that the user can correct: a bad value, an unknown name. The message names the value, its location and what
// would be valid. Ends the program with status 2 before any rank starts work.
class UserMistake : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  template <class First, class... Rest>
  UserMistake(fmt::format_string<const First&, const Rest&...> words, const First& first, const Rest&... rest)
      : std::runtime_error(fmt::format(words, first, rest...)) {}
};

// A user mistake in one parameter of a motif, so that the workload checker can report the column of that option.
class ParameterMistake : public UserMistake {
 public:
  ParameterMistake(std::string parameter, const std::string& message)
      : UserMistake(message), parameter_(std::move(parameter)) {}

  // Long name of the parameter, without dashes; empty when the mistake concerns the motif as a whole.
  const std::string& parameter() const noexcept { return parameter_; }

 private:
  std::string parameter_;
};

// Throws ParameterMistake: "--depth: 5, but the smallest block has 4 rows" for `option` "depth" and the `words` after
// the colon. An empty option gives the words alone.
template <class... Args>
[[noreturn]] void reject(const std::string& option, fmt::format_string<const Args&...> words, const Args&... args) {
  throw ParameterMistake(option, (option.empty() ? "" : "--" + option + ": ") + fmt::format(words, args...));
}

// A failure of the machine or of a library: a full disk, a failed MPI call, a wrong byte received. Ends the run with
// status 3.
class MachineFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  template <class First, class... Rest>
  MachineFault(fmt::format_string<const First&, const Rest&...> words, const First& first, const Rest&... rest)
      : std::runtime_error(fmt::format(words, first, rest...)) {}
};

}  // namespace stressbench
