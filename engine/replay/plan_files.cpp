// Planning of file calls: scratch files, bytes to read, and views.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>

#include "core/checked.hpp"
#include "core/error.hpp"
#include "core/input_limits.hpp"
#include "replay/datatypes.hpp"
#include "replay/replay_plan.hpp"

namespace stressbench::replay {
namespace {

bool reads(const trace::Call& call) { return call.op.starts_with("File_read") || call.op.starts_with("File_iread"); }
// Whether the call moves the shared file pointer.
bool shares_pointer(const trace::Call& call) {
  return call.op.find("_shared") != std::string::npos || call.op.find("_ordered") != std::string::npos;
}
bool has_explicit_offset(const trace::Call& call) { return call.op.find("_at") != std::string::npos; }

// Largest displacement and etype size over all views of a file. Offsets count etypes from the displacement.
struct View {
  std::int64_t displacement = 0;
  std::int64_t unit = 1;
};
std::map<int, View> views_of(const trace::RankRecord& record) {
  std::map<int, View> views;
  for (const trace::Call& call : record.calls) {
    if (call.op != "File_set_view") continue;
    View& view = views[call.file];
    view.displacement = std::max(view.displacement, call.offset);
    view.unit = std::max(view.unit, call.unit);
  }
  return views;
}

}  // namespace

RequiredBytes required_file_bytes(const trace::RankRecord& record) {
  using checked::product;
  using checked::sum;
  std::map<int, View> views = views_of(record);
  std::map<int, std::int64_t> sequential_bytes;  // that the rank's own pointer of each file passes
  RequiredBytes required;
  for (const trace::Call& call : record.calls) {
    if (!reads(call)) continue;
    if (call.bytes < 0 || call.times < 0 || call.offset < 0) {
      throw UserMistake("rank {}: MPI_{} reads {} bytes at offset {}, {} times", record.rank, call.op, call.bytes,
                        call.offset, call.times);
    }
    const View& view = views[call.file];
    if (shares_pointer(call)) {
      required.shared = sum(required.shared, product(call.bytes, call.times));
    } else {
      std::int64_t end = 0;
      if (has_explicit_offset(call)) {
        end = sum(product(call.offset, view.unit), call.bytes);
      } else {
        end = sequential_bytes[call.file] = sum(sequential_bytes[call.file], product(call.bytes, call.times));
      }
      required.individual = std::max(required.individual, sum(view.displacement, end));
    }
  }
  require_scratch_size(std::max(required.individual, required.shared));
  return required;
}

void require_scratch_size(std::int64_t bytes) {
  constexpr std::int64_t most = input_limits::max_scratch_file_bytes;
  if (bytes > most) throw UserMistake("the reads of the trace need scratch files of {} bytes; at most {}", bytes, most);
}

MPI_Datatype ReplayPlan::contiguous_view(const trace::Call& call) {
  if (call.filetype.size() != 2 || call.unit < 1 || call.unit > std::numeric_limits<int>::max())
    throw UserMistake("lacks the contents of its view; capture it again");
  if (call.filetype[0] != call.filetype[1]) {
    throw UserMistake("sees {} of every {} bytes of its file; only views without holes are replayed", call.filetype[0],
                      call.filetype[1]);
  }
  const auto named = datatype_of(call.type);
  int size = 0;
  if (named) mpi::check(MPI_Type_size(*named, &size), "MPI_Type_size");
  return named && size == call.unit ? *named : contiguous_bytes_type(call.unit);
}

void ReplayPlan::plan_file_call(const trace::Call& call, ArgumentKind argument_kind, Instruction& i) {
  if (call.file < 0) throw UserMistake("names no file");
  i.file = call.file;
  i.offset = call.offset;
  i.whence = call.whence == "CUR" ? MPI_SEEK_CUR : call.whence == "END" ? MPI_SEEK_END : MPI_SEEK_SET;
  if (argument_kind == ArgumentKind::file_move) {
    const Element element = element_of(call);
    i.count = count(element, call.bytes);
    if (reads(call)) {
      reserve_receive_buffer(i, element, call.bytes);
    } else {
      reserve_send_buffer(i, element, call.bytes);
    }
  }
  if (argument_kind == ArgumentKind::file_view) i.type = contiguous_view(call);
  if (call.op == "File_preallocate")
    require_free_space(std::filesystem::path(options_.scratch).parent_path(), i.offset);
  if (argument_kind != ArgumentKind::file_open) return;
  // The ranks that open a file together share one scratch file, named after the first of them.
  const trace::Communicator& comm = communicator(call.comm);
  if (!comm.members || comm.members->empty())
    throw UserMistake("the members of its communicator are too irregular to be in the trace");
  const std::string& path = scratch_paths_.emplace_back(
      fmt::format("{}{}-{}.{}", options_.scratch, comm.members->front().first, comm.size, call.file));
  if (comm.rank == 0) scratch_.create(path, options_.bytes_to_read);
  i.path = path.c_str();
  // The file exists already, and is removed at the end.
  i.amode = call.amode & ~(MPI_MODE_EXCL | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
}

}  // namespace stressbench::replay
