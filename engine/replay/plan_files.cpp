// Planning of file calls: scratch files, bytes to read, and views.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "core/error.hpp"
#include "replay/datatypes.hpp"
#include "replay/replay_plan.hpp"

namespace stressbench::replay {
namespace {

bool reads(const trace::Call& call) { return call.op.starts_with("File_read") || call.op.starts_with("File_iread"); }
// Whether the call moves the shared file pointer.
bool shares_pointer(const trace::Call& call) {
  return call.op.find("_shared") != std::string::npos || call.op.find("_ordered") != std::string::npos;
}

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

Reading bytes_read(const trace::RankRecord& record) {
  std::map<int, View> views = views_of(record);
  std::int64_t in_a_row = 0;
  Reading reading;
  for (const trace::Call& call : record.calls) {
    if (!reads(call)) continue;
    const View& view = views[call.file];
    if (shares_pointer(call)) {
      reading.shared += call.bytes * call.times;
    } else {
      in_a_row += call.bytes * call.times;
      reading.own = std::max(reading.own, view.displacement + call.offset * view.unit + call.bytes);
      reading.own = std::max(reading.own, view.displacement + in_a_row);
    }
  }
  return reading;
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
  if (named) mpi::must(MPI_Type_size(*named, &size), "MPI_Type_size");
  return named && size == call.unit ? *named : bytes_in_a_row(call.unit);
}

void ReplayPlan::lay_out_file(const trace::Call& call, Shape shape, Instruction& i) {
  if (call.file < 0) throw UserMistake("names no file");
  i.file = call.file;
  i.offset = call.offset;
  i.whence = call.whence == "CUR" ? MPI_SEEK_CUR : call.whence == "END" ? MPI_SEEK_END : MPI_SEEK_SET;
  if (shape == Shape::file_move) {
    const Element element = element_of(call);
    i.count = count(element, call.bytes);
    if (reads(call)) {
      get(i, element, call.bytes);
    } else {
      give(element, call.bytes);
    }
  }
  if (shape == Shape::file_view) i.type = contiguous_view(call);
  if (shape != Shape::file_open) return;
  // The ranks that open a file together share one scratch file, named after the first of them.
  const trace::Communicator& among = communicator(call.comm);
  if (!among.members || among.members->empty())
    throw UserMistake("the members of its communicator are too irregular to be in the trace");
  const std::string& path = paths_.emplace_back(
      fmt::format("{}{}-{}.{}", options_.scratch, among.members->front().first, among.size, call.file));
  if (among.rank == 0) scratch_.make(path, options_.bytes_to_read);
  i.path = path.c_str();
  // The file exists already, and is removed at the end.
  i.amode = call.amode & ~(MPI_MODE_EXCL | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
}

}  // namespace stressbench::replay
