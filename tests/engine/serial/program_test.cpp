// The program's exit status and message where memory ends.
#include <gtest/gtest.h>

#include <array>
#include <new>
#include <stdexcept>
#include <string>

#include "commands/command.hpp"

namespace stressbench::commands {
namespace {

// What is printed when the start of MPI fails; the exit status first.
template <class Failure>
std::string outcome_of(const Failure& failure) {
  std::array<std::string, 3> words{"stressbench-mpi", "motif", "barrier"};
  std::array<char*, 3> arguments{};
  for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
  testing::internal::CaptureStderr();
  const int status = run_program(3, arguments.data(), [&](mpi::Threads) -> const mpi::Group& { throw failure; });
  return std::to_string(status) + " " + testing::internal::GetCapturedStderr();
}

TEST(Program, EndsWithAMessageWhereMemoryEnds) {
  EXPECT_EQ(outcome_of(std::bad_alloc()), "3 stressbench-mpi: out of memory\n");
  EXPECT_EQ(outcome_of(std::length_error("vector::reserve")),
            "3 stressbench-mpi: out of memory: a list would be longer than any memory\n");
}

}  // namespace
}  // namespace stressbench::commands
