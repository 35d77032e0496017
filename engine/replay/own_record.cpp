#include "replay/own_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "trace/read.hpp"

namespace stressbench::replay {
namespace {

constexpr std::int64_t longest_piece = 1 << 28;  // bytes of a line per message
constexpr int tag = 0;

using Heading = std::array<std::int64_t, 2>;  // length of the line, line number in the file
constexpr Heading nothing{-1, 0};

void send(const mpi::Group& group, int rank, const Heading& heading, const std::string& line) {
  mpi::must(MPI_Send(heading.data(), 2, MPI_INT64_T, rank, tag, group.handle()), "MPI_Send");
  for (std::int64_t at = 0; at < heading[0]; at += longest_piece) {
    const auto length = static_cast<int>(std::min(longest_piece, heading[0] - at));
    mpi::must(MPI_Send(line.data() + at, length, MPI_CHAR, rank, tag, group.handle()), "MPI_Send");
  }
}

trace::RankRecord receive(const mpi::Group& group, const std::string& path) {
  Heading heading{};
  mpi::must(MPI_Recv(heading.data(), 2, MPI_INT64_T, 0, tag, group.handle(), MPI_STATUS_IGNORE), "MPI_Recv");
  // Rank 0 throws the actual reason, which takes precedence in `collectively`.
  if (heading == nothing) throw UserMistake("'{}': cannot be read", path);
  std::string line(static_cast<std::size_t>(heading[0]), '\0');
  for (std::int64_t at = 0; at < heading[0]; at += longest_piece) {
    const auto length = static_cast<int>(std::min(longest_piece, heading[0] - at));
    mpi::must(MPI_Recv(line.data() + at, length, MPI_CHAR, 0, tag, group.handle(), MPI_STATUS_IGNORE), "MPI_Recv");
  }
  return trace::read_rank({path, heading[1]}, line, group.rank());
}

// Sends each rank its line as soon as it is read. After an error, the remaining ranks get the heading `nothing`.
trace::RankRecord read_and_send(const mpi::Group& group, const std::string& path) {
  int served = 1;
  try {
    trace::Lines lines(path);
    const auto head = lines.next();
    if (!head) lines.place().refuse("is empty; `stressbench capture -o APP.trace` writes a trace file");
    const trace::Header header = trace::read_header(lines.place(), *head);
    if (header.ranks != group.size())
      throw UserMistake("'{}' was captured on {} ranks; this job has {}", path, header.ranks, group.size());
    trace::Place own_place;
    std::string own;
    for (int rank = 0; rank < header.ranks; ++rank) {
      auto line = lines.next();
      if (!line) {
        trace::Place{path, lines.place().line + 1}.refuse(
            fmt::format("the line of rank {} is missing; the file is truncated", rank));
      }
      if (rank == 0) {
        own_place = lines.place();
        own = std::move(*line);
      } else {
        send(group, rank, {static_cast<std::int64_t>(line->size()), lines.place().line}, *line);
        ++served;
      }
    }
    trace::RankRecord record = trace::read_rank(own_place, own, 0);
    trace::read_tail(lines, header.ranks);
    return record;
  } catch (const UserMistake&) {
    for (; served < group.size(); ++served) send(group, served, nothing, {});
    throw;
  }
}

}  // namespace

trace::RankRecord own_record(const mpi::Group& group, const std::string& path) {
  return group.rank() == 0 ? read_and_send(group, path) : receive(group, path);
}

void collectively(const mpi::Group& group, const std::function<void()>& action) {
  std::string mistake;
  try {
    action();
  } catch (const UserMistake& wrong) {
    mistake = wrong.what();
  }
  int lowest = mistake.empty() ? group.size() : group.rank();
  mpi::must(MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, group.handle()), "MPI_Allreduce");
  if (lowest == group.size()) return;
  auto length = static_cast<int>(mistake.size());
  mpi::must(MPI_Bcast(&length, 1, MPI_INT, lowest, group.handle()), "MPI_Bcast");
  mistake.resize(static_cast<std::size_t>(length));
  mpi::must(MPI_Bcast(mistake.data(), length, MPI_CHAR, lowest, group.handle()), "MPI_Bcast");
  throw ParameterMistake("file", "--file: " + mistake);
}

}  // namespace stressbench::replay
