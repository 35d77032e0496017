// The measurements of b_eff_io, written as they are made: an interrupted run keeps its results so far
// (docs/how-to/beff-io.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "suites/b_eff_io/io_rule.hpp"

namespace stressbench::beff {

struct IoHeader {
  int round = 0;
  int ranks = 0;
  double scheduled_s = 0;
  int release = 1;
  bool shared_pointers = true;
  bool random = false;  // rewriting and reading in random order
  int nodes = 0;
  std::optional<std::int64_t> node_memory_bytes;  // none if M_PART was given
  std::int64_t mpart_bytes = 0;
  std::optional<std::int64_t> limit_bytes;
  struct Partition {
    std::string name;
    int ranks = 0;
    int nodes = 0;
  };
  std::vector<Partition> partitions;
  std::vector<int> types;
  std::vector<std::string> hints;
  std::vector<std::string> pattern_hints;
};

// Results over all ranks of a partition; the time is the maximum over them.
struct IoResult {
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
  double time_s = 0;
  bool exhausted = false;  // all of its data was read or rewritten before its time was over
};

// JSON Lines, each with its newline.
std::string as_json_line(const IoHeader& header);
std::string as_json_line(int partition, IoAccess access, const IoPattern& pattern, const IoResult& measured);
std::string file_as_json_line(int partition, IoAccess access, IoType type, const IoResult& measured);
std::string end_as_json_line(std::optional<double> b_eff_io_bytes_per_s, double elapsed_s);

}  // namespace stressbench::beff
