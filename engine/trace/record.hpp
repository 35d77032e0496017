// Contents of a trace file as values (docs/trace-format.md), limited to what a replay needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stressbench::trace {

struct Header {
  int version = 0;
  std::string mode;
  std::string program;
  int ranks = 0;
  bool timed = true;  // false: a list of calls without times
};

// The world ranks first, first + stride, ... (`count` of them) that are members of a communicator, in its rank order.
struct Run {
  int first = 0;
  int stride = 0;
  int count = 0;
};

struct Communicator {
  int size = 0;
  int rank = 0;
  bool is_intercommunicator = false;        // an intercommunicator
  std::optional<std::vector<Run>> members;  // none: too irregular to be recorded
};

// A distinct call. Fields that do not apply to its operation keep their defaults.
struct Call {
  static constexpr int none = -1;
  static constexpr int any_source = -2;  // a receive from any source that matched no message: the program cancelled it
  static constexpr int any_tag = -1;

  std::string op;
  std::int64_t times = 0;
  int comm = 0;
  int peer = none;  // MPI_PROC_NULL
  int tag = 0;
  std::int64_t bytes = 0;
  std::int64_t unit = 1;
  std::string type;  // empty: not a predefined datatype
  int source = none;
  int receive_tag = 0;
  std::optional<std::int64_t> receive_bytes;
  std::string reduction;
  int root = 0;
  bool in_place = false;
  int request = none;
  std::vector<int> requests;
  std::vector<int> done;
  std::vector<int> inits;  // of MPI_Start: the calls that created its requests outside of the sequence; -1: none
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> receive_counts;
  std::optional<int> made;
  int colour = 0;
  int key = 0;
  std::vector<int> dims;
  std::vector<int> periods;
  std::vector<int> sources;
  std::vector<int> destinations;
  std::vector<int> remain;
  int file = none;
  std::int64_t offset = 0;
  std::string whence = "SET";
  int amode = 0;
  std::vector<std::int64_t> filetype;  // size and extent
  int window = none;
  std::int64_t size = 0;
  std::int64_t displacement = 0;
  std::string lock;
  std::vector<std::string> assertion;
};

// Time outside MPI between call `before` (-1: none) and call `after`.
struct Gap {
  int before = 0;
  int after = 0;
  std::int64_t times = 0;
  double sum_s = 0;
  double min_s = 0;
  double max_s = 0;
  std::vector<std::pair<int, std::int64_t>> buckets;  // histogram: bucket number, count
};

// One item of a grammar rule, repeated `times` times. symbol >= 0: index of a call; symbol < 0: rule -symbol.
struct Item {
  std::int64_t symbol = 0;
  std::int64_t times = 0;
};
using Rule = std::vector<Item>;

struct RankRecord {
  int rank = 0;
  std::string ended;
  std::int64_t messages = 0;       // sent point-to-point messages
  std::int64_t message_bytes = 0;  // their payload
  std::vector<Communicator> comms;
  std::vector<Call> calls;
  std::vector<Gap> gaps;
  double tail_s = 0;                       // time after the last call
  std::vector<std::int64_t> gap_times_ns;  // time before each of the first calls of the sequence; empty: not recorded
  std::vector<Rule> rules;
  std::int64_t sequence_calls = 0;
};

}  // namespace stressbench::trace
