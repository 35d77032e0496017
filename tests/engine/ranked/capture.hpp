// Records the MPI calls of a motif, and can corrupt the data that they deliver. Calls always pass through; they are
// recorded only between start and stop. Ranks in tokens are those of MPI_COMM_WORLD, as in the reference profiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/pattern.hpp"

namespace stressbench::test::capture {

struct Record {
  std::vector<std::string> tokens;  // as in tests/reference/README.md: without tests that completed nothing
  std::vector<std::string> tests;   // Test, Testall, ... with the number of tokens before them: "2:Testall(4)"
  Traffic sent;                     // by this rank; a collective is counted by its communicator's rank 0
};

void start();
Record stop();

// What MPI_Testall returns: the actual state, or a forced answer (for `complete` it waits for the requests). An empty
// list is always complete.
enum class TestallResult { honest, incomplete, complete };
void force_testall_result(TestallResult answer);

// Flips the bits of one byte that this rank receives: in receive number `index`, counted from this call (a collective
// or a file read is one receive). Happens once.
void corrupt_receive(int index, std::size_t offset);
// Whether a corruption has not happened yet.
bool corruption_pending();

// The next file write, except by a shared pointer, writes one element less than given, and its status says so.
void shorten_write();

// The same for the data of one-sided operations: in operation number `index` of this rank, counted from this call.
void corrupt_operation(int index, std::size_t offset);

// For wrappers in other files: record a call as a token, and what it sends. Check `is_recording` first: at other times
// nothing may be formatted or allocated.
bool is_recording();
void record_call(std::string token);
void count_sent(const Traffic& sent);

std::string joined(const std::vector<std::string>& tokens);

}  // namespace stressbench::test::capture
