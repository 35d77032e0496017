#include "io/mpiio_options.hpp"

#include <fmt/format.h>

#include <limits>

namespace stressbench::io {

CallKind kind_of(MpiIoCall call) noexcept {
  using enum Participation;
  using enum Completion;
  switch (call) {
    case MpiIoCall::plain:
      return {Pointer::own, independent, blocking};
    case MpiIoCall::at:
      return {Pointer::none, independent, blocking};
    case MpiIoCall::all:
      return {Pointer::own, collective, blocking};
    case MpiIoCall::at_all:
      return {Pointer::none, collective, blocking};
    case MpiIoCall::shared:
      return {Pointer::shared, independent, blocking};
    case MpiIoCall::ordered:
      return {Pointer::shared, collective, blocking};
    case MpiIoCall::started:
      return {Pointer::own, independent, nonblocking};
    case MpiIoCall::started_at:
      return {Pointer::none, independent, nonblocking};
    case MpiIoCall::started_all:
      return {Pointer::own, collective, nonblocking};
    case MpiIoCall::started_at_all:
      break;
  }
  return {Pointer::none, collective, nonblocking};
}

void MpiIoOptions::check(const AccessRequirements& requirements) const {
  hints_.check();
  if (kind().pointer == Pointer::shared) refuse_shared(requirements);
  if (kind().is_collective() && !requirements.even_transfers) {
    refuse_call(
        "the call is collective, but the ranks' transfers differ in number or length; use independent calls such as "
        "MPI_File_write_at");
  }
  if (in_flight_.was_given() && *in_flight_ > 1 && !kind().is_nonblocking()) {
    reject("in-flight",
           "{} ends before the next call starts; only nonblocking calls such as MPI_File_iwrite_at overlap",
           call_.text());
  }
  if (*preallocate_ && requirements.access == Access::read) reject("preallocate", "nothing is written");
  if (*truncate_) check_truncation(requirements);
}

void MpiIoOptions::check_transfer(const Opening& opening) const {
  if (opening.transfer_bytes <= std::numeric_limits<int>::max()) return;
  refuse_call(fmt::format("transfers at most {} bytes, but a transfer has {}", std::numeric_limits<int>::max(),
                          opening.transfer_bytes));
}

std::string MpiIoOptions::name_of_call(Access direction) const {
  std::string name = Spelling<MpiIoCall>::write(*call_);
  if (direction == Access::read) name.replace(name.find("write"), 5, "read");
  return name;
}

void MpiIoOptions::refuse_call(const std::string& text) const { reject("call", "{}: {}", call_.text(), text); }

void MpiIoOptions::refuse_shared(const AccessRequirements& requirements) const {
  constexpr auto alternative = "use calls with an offset, such as MPI_File_write_at";
  if (requirements.any_order) refuse_call(fmt::format("a shared file pointer only moves forward; {}", alternative));
  if (requirements.grows)
    refuse_call(fmt::format("starts at the beginning of a file each time, so nothing is appended; {}", alternative));
  if (requirements.access == Access::both) {
    refuse_call(fmt::format("reads and writes would move the same file pointer; {}", alternative));
  }
}

void MpiIoOptions::check_truncation(const AccessRequirements& requirements) const {
  if (requirements.access == Access::read) reject("truncate", "nothing is written");
  if (requirements.access == Access::both) reject("truncate", "reads and writes are mixed in a file that has data");
  if (requirements.grows) reject("truncate", "data is appended to what the file has");
}

}  // namespace stressbench::io
