// Hints that go with a file when MPI-IO opens it, for every backend that stands on MPI-IO: their options, and what
// became of them.
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

class Hints {
 public:
  explicit Hints(ParameterSet& owner) : owner_(owner) {}

  // Throws ParameterMistake where a key is there twice, or longer than MPI takes.
  void check() const;
  void prepare();
  MPI_Info handle() const noexcept { return info_.handle(); }
  std::vector<Hint> asked() const;
  bool any() const { return !asked().empty(); }
  // One remark a hint, by what the library says that it uses, and one with all that it says.
  std::vector<std::string> became(const mpi::Info& used) const;

 private:
  ParameterSet& owner_;
  Param<std::vector<Hint>> hints_{&owner_, '\0', "hint", {}, "hints for MPI-IO, key=value, separated by commas"};
  Param<std::int64_t> stripe_count_{&owner_, '\0', "stripe-count", 0,
                                    "storage targets of a file (hint striping_factor); 0: the file system's choice"};
  Param<Bytes> stripe_size_{&owner_, '\0', "stripe-size", Bytes{0},
                            "bytes on a target before the next (hint striping_unit); 0: the file system's choice"};
  mpi::Info info_;
};

}  // namespace io
}  // namespace stressbench
