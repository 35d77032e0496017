// Looks at the MPI calls that a motif makes, and can meddle with what they deliver. Calls pass through at all times;
// they are only noted between start and stop. Ranks in tokens are those of MPI_COMM_WORLD, as in the reference
// profiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/pattern.hpp"

namespace stressbench::test::capture {

struct Record {
  std::vector<std::string>
      tokens;  // as in tests/reference/README.md, which leaves tests that completed nothing out, too
  std::vector<std::string> tests;  // Test, Testall, ... with the number of tokens before them: "2:Testall(4)"
  Traffic sent;                    // by this rank; a collective is counted by its communicator's rank 0
};

void start();
Record stop();

// What MPI_Testall answers: as it is, or as forced (waiting for the requests where it must say yes). No requests are
// always complete.
enum class Answer { honest, incomplete, complete };
void testall_answers(Answer answer);

// Flips the bits of one byte of what this rank receives next: of the receive with that index, counted from here (a
// collective or a file read is one receive). Happens once.
void corrupt_receive(int index, std::size_t offset);
// Whether a corruption is still waiting for its receive.
bool corruption_pending();

// The next write of a file, other than by a shared pointer, is of one element less than it was given, and its status
// says so.
void shorten_write();

// The same for what this rank's next one-sided operations move: of the operation with that index, counted from here.
void corrupt_operation(int index, std::size_t offset);

// For wrappers in other files: a call in a token, and what it sends. Ask `noting` first: nothing may be spelled or
// allocated at other times.
bool noting();
void note_call(std::string token);
void count_sent(const Traffic& sent);

std::string joined(const std::vector<std::string>& tokens);

}  // namespace stressbench::test::capture
