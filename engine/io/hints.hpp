// MPI-IO hints, for every backend that is based on MPI-IO: their options, and notes on which hints took effect.
#pragma once

#include <mpi.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/parameter.hpp"
#include "mpi/info.hpp"

namespace stressbench {

struct Hint {
  std::string key;
  std::string value;
};

// key=value
template <>
struct Spelling<Hint> {
  static Hint read(std::string_view text);
  static std::string write(const Hint& hint) { return hint.key + '=' + hint.value; }
  static constexpr std::string_view unit = "text";
};

namespace io {

// Throws ParameterMistake `option` if the key or value is longer than MPI allows.
void check_length(const std::string& option, const Hint& hint);

class Hints {
 public:
  explicit Hints(ParameterSet& owner) : owner_(owner) {}

  // Throws ParameterMistake if a key is given twice or is longer than MPI allows.
  void check() const;
  void prepare();
  MPI_Info handle() const noexcept { return info_.handle(); }
  std::vector<Hint> requested() const;
  bool any() const { return !requested().empty(); }
  // One note per hint on the value that the library uses, and one with all values that it reports.
  std::vector<std::string> effective_notes(const mpi::Info& effective) const;

 private:
  ParameterSet& owner_;
  Param<std::vector<Hint>> hints_{&owner_, "hint", {}, "hints for MPI-IO, key=value, separated by commas"};
  Param<std::int64_t> stripe_count_{&owner_, "stripe-count", 0,
                                    "storage targets of a file (hint striping_factor); 0: default of the file system"};
  Param<Bytes> stripe_size_{&owner_, "stripe-size", Bytes{0},
                            "stripe size (hint striping_unit); 0: default of the file system"};
  mpi::Info info_;
};

}  // namespace io
}  // namespace stressbench
