#include "replay/operations.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "core/error.hpp"

namespace stressbench::replay {
namespace {

constexpr std::size_t prefix = std::string_view("MPI_").size();

std::map<std::string_view, const Operation*> all_operations() {
  std::map<std::string_view, const Operation*> all;
  for (const auto table :
       {message_operations(), completion_operations(), collective_operations(), neighbour_operations(),
        communicator_operations(), file_operations(), one_sided_operations()}) {
    for (const Operation& operation : table) all[std::string_view(operation.name).substr(prefix)] = &operation;
  }
  return all;
}

bool is_file_call(std::string_view op) { return op.starts_with("File_"); }
bool is_between_groups(std::string_view op) {
  constexpr std::array names{"Comm_accept", "Comm_connect",        "Comm_join",
                             "Comm_spawn",  "Comm_spawn_multiple", "Comm_remote_size"};
  return op.starts_with("Intercomm_") || std::ranges::find(names, op) != names.end();
}

}  // namespace

const Operation* find_operation(std::string_view op) noexcept {
  static const std::map<std::string_view, const Operation*> all = all_operations();
  const auto found = all.find(op);
  return found == all.end() ? nullptr : found->second;
}

bool is_skipped(std::string_view op, FileCalls files) noexcept {
  // MPI_Buffer_attach is left out because the replay attaches its own buffer for MPI_Bsend.
  constexpr std::array names{"Init", "Init_thread", "Finalize", "Pcontrol", "Buffer_attach", "Buffer_detach",
                             // A trace does not say which file was deleted; scratch files are removed at the end.
                             "File_delete"};
  return (is_file_call(op) && files == FileCalls::skipped) || std::ranges::find(names, op) != names.end();
}

void require_replayable(const trace::Call& call, FileCalls files) {
  const std::string_view op = call.op;
  if (is_skipped(op, files)) return;
  if (const Operation* const operation = find_operation(op); operation != nullptr) {
    if (!operation->execution.creates_request || call.request >= 0) return;
    throw UserMistake("calls MPI_{}, which cannot be replayed: the trace does not name the slot of its request", op);
  }
  std::string_view why = "unknown to this program";
  if (is_file_call(op)) why = "without --files all file calls are left out";
  if (op == "Win_create_dynamic") why = "windows to which memory is attached later are not replayed";
  if (is_between_groups(op)) why = "communication between groups or programs is not replayed";
  throw UserMistake("calls MPI_{}, which cannot be replayed: {}", op, why);
}

}  // namespace stressbench::replay
