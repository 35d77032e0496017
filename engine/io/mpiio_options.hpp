// The calls and options of the backend mpiio, the same for files of an MPI library and for simulated ones.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/parameter.hpp"
#include "io/backend.hpp"
#include "io/hints.hpp"

namespace stressbench {
namespace io {

enum class MpiIoCall { plain, at, all, at_all, shared, ordered, started, started_at, started_all, started_at_all };

// The file pointer that a call uses.
enum class Pointer { none, own, shared };
enum class Participation { independent, collective };
enum class Completion { blocking, nonblocking };

struct CallKind {
  Pointer pointer;
  Participation participation;
  Completion completion;
  bool is_collective() const noexcept { return participation == Participation::collective; }
  bool is_nonblocking() const noexcept { return completion == Completion::nonblocking; }
};
CallKind kind_of(MpiIoCall call) noexcept;

}  // namespace io

// Only the kind of call matters: MPI_File_write_all also denotes MPI_File_read_all.
template <>
struct Names<io::MpiIoCall> {
  using enum io::MpiIoCall;
  using Row = std::pair<std::string_view, io::MpiIoCall>;
  static constexpr std::array values{
      Row{"MPI_File_write", plain},
      Row{"MPI_File_write_at", at},
      Row{"MPI_File_write_all", all},
      Row{"MPI_File_write_at_all", at_all},
      Row{"MPI_File_write_shared", shared},
      Row{"MPI_File_write_ordered", ordered},
      Row{"MPI_File_iwrite", started},
      Row{"MPI_File_iwrite_at", started_at},
      Row{"MPI_File_iwrite_all", started_all},
      Row{"MPI_File_iwrite_at_all", started_at_all},
      Row{"MPI_File_read", plain},
      Row{"MPI_File_read_at", at},
      Row{"MPI_File_read_all", all},
      Row{"MPI_File_read_at_all", at_all},
      Row{"MPI_File_read_shared", shared},
      Row{"MPI_File_read_ordered", ordered},
      Row{"MPI_File_iread", started},
      Row{"MPI_File_iread_at", started_at},
      Row{"MPI_File_iread_all", started_all},
      Row{"MPI_File_iread_at_all", started_at_all},
  };
};

namespace io {

class MpiIoOptions {
 public:
  explicit MpiIoOptions(ParameterSet& owner) : owner_(owner) {}

  // Throw ParameterMistake.
  void check(const AccessRequirements& requirements) const;
  void check_transfer(const Opening& opening) const;

  CallKind kind() const noexcept { return kind_of(*call_); }
  MpiIoCall call() const noexcept { return *call_; }
  int in_flight() const noexcept { return kind().is_nonblocking() ? static_cast<int>(*in_flight_) : 1; }
  bool preallocate() const noexcept { return *preallocate_; }
  bool truncate() const noexcept { return *truncate_; }
  Hints& hints() noexcept { return hints_; }
  const Hints& hints() const noexcept { return hints_; }
  std::string name_of_call(Access direction) const;  // MPI_File_read_at, if that is how the call reads

 private:
  [[noreturn]] void refuse_call(const std::string& text) const;
  void refuse_shared(const AccessRequirements& requirements) const;
  void check_truncation(const AccessRequirements& requirements) const;

  ParameterSet& owner_;
  Param<MpiIoCall> call_{&owner_, 'n', "call", MpiIoCall::at_all,
                         "MPI-IO call of a write; reads use the corresponding call"};
  Param<std::int64_t> in_flight_{&owner_, "in-flight", 1, "nonblocking transfers in flight", Positive{}, AtMost{65536}};
  Param<bool> preallocate_{&owner_, "preallocate", "MPI_File_preallocate when a file is opened for writing"};
  Param<bool> truncate_{&owner_, "truncate",
                        "MPI_File_set_size to 0 when a file is opened for writing, as IOR does; some file systems then "
                        "start to write the file when it is closed"};
  Hints hints_{owner_};
};

}  // namespace io
}  // namespace stressbench
