// The key that distinguishes calls: the operation and all arguments that a replay needs.
#pragma once

#include <cstdint>

namespace stressbench::trace {

enum class Class : std::uint8_t { p2p, wait, coll, io, other };
inline constexpr int class_count = 5;
inline constexpr const char* class_names[class_count] = {"p2p", "wait", "coll", "io", "other"};

inline constexpr std::int32_t unset = INT32_MIN;

enum Wildcard : std::uint8_t { no_wildcard = 0, any_source = 1, any_tag = 2 };

// Kinds of a call's lists, which are stored one after another as {kind, length, values...}.
enum class List : std::int64_t {
  requests,
  done,
  inits,
  counts,
  receive_counts,
  dims,
  periods,
  sources,
  destinations,
  remain,
  filetype,
  assertion,
  colour,
  key,
  offset,
  amode,
  size,
  displacement,
  whence,
  lock
};

// Assertions of one-sided epochs. List::assertion holds indices into this table.
inline constexpr const char* assertion_names[] = {"NOCHECK", "NOSTORE", "NOPUT", "NOPRECEDE", "NOSUCCEED"};

// No padding: keys are hashed and compared as words.
struct Key {
  std::uint16_t op = 0;
  std::uint8_t wildcards = no_wildcard;
  std::uint8_t in_place = 0;
  std::int32_t comm = unset;
  std::int32_t peer = unset;
  std::int32_t tag = unset;
  std::int64_t bytes = -1;
  std::int64_t receive_bytes = -1;
  std::int32_t source = unset;
  std::int32_t receive_tag = unset;
  std::int16_t type = -1;       // index in the list of predefined datatypes
  std::int16_t reduction = -1;  // index in the list of predefined operations; -2: user-defined
  std::int32_t unit = unset;
  std::int32_t root = unset;
  std::int32_t request = unset;
  std::int32_t new_comm = unset;  // number of the new communicator; -1: MPI_COMM_NULL
  std::int32_t object = unset;    // slot of a file or a window
  std::uint32_t site = 0;
  std::uint32_t words = 0;  // length of all lists
};
static_assert(sizeof(Key) == 72);

}  // namespace stressbench::trace
