#include "motifs/captured/own_record.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "trace/read.hpp"

namespace stressbench::captured {
namespace {

constexpr std::int64_t max_piece_bytes = 1 << 28;  // bytes of a line per message
constexpr int tag = 0;

using Heading = std::array<std::int64_t, 2>;  // length of the line, line number in the file
constexpr Heading no_line{-1, 0};

void send(const mpi::Group& group, int rank, const Heading& heading, const std::string& line) {
  mpi::check(MPI_Send(heading.data(), 2, MPI_INT64_T, rank, tag, group.handle()), "MPI_Send");
  for (std::int64_t at = 0; at < heading[0]; at += max_piece_bytes) {
    const auto length = static_cast<int>(std::min(max_piece_bytes, heading[0] - at));
    mpi::check(MPI_Send(line.data() + at, length, MPI_CHAR, rank, tag, group.handle()), "MPI_Send");
  }
}

trace::RankRecord receive(const mpi::Group& group, const std::string& path) {
  Heading heading{};
  mpi::check(MPI_Recv(heading.data(), 2, MPI_INT64_T, 0, tag, group.handle(), MPI_STATUS_IGNORE), "MPI_Recv");
  // Rank 0 throws the actual reason, which takes precedence in `collectively`.
  if (heading == no_line) throw UserMistake("'{}': cannot be read", path);
  std::string line(static_cast<std::size_t>(heading[0]), '\0');
  for (std::int64_t at = 0; at < heading[0]; at += max_piece_bytes) {
    const auto length = static_cast<int>(std::min(max_piece_bytes, heading[0] - at));
    mpi::check(MPI_Recv(line.data() + at, length, MPI_CHAR, 0, tag, group.handle(), MPI_STATUS_IGNORE), "MPI_Recv");
  }
  return trace::read_rank({path, heading[1]}, line, group.rank(), group.size());
}

// Sends each rank its line as soon as it is read. After an error, the remaining ranks get the heading `no_line`.
trace::RankRecord read_and_send(const mpi::Group& group, const std::string& path) {
  int next_rank = 1;
  try {
    trace::Lines lines(path);
    trace::read_header(lines, group.size());
    std::string own = trace::rank_line(lines, 0);
    const trace::Position own_position = lines.position();
    for (; next_rank < group.size(); ++next_rank) {
      const std::string line = trace::rank_line(lines, next_rank);
      send(group, next_rank, {static_cast<std::int64_t>(line.size()), lines.position().line}, line);
    }
    trace::RankRecord record = trace::read_rank(own_position, own, 0, group.size());
    trace::read_tail(lines, group.size());
    return record;
  } catch (const UserMistake&) {
    for (; next_rank < group.size(); ++next_rank) send(group, next_rank, no_line, {});
    throw;
  }
}

}  // namespace

trace::RankRecord own_record(const mpi::Group& group, const std::string& path) {
  return group.rank() == 0 ? read_and_send(group, path) : receive(group, path);
}

void collectively(const mpi::Group& group, const std::string& option, const std::function<void()>& action) {
  std::string mistake;
  try {
    action();
  } catch (const UserMistake& wrong) {
    mistake = wrong.what();
  }
  int lowest = mistake.empty() ? group.size() : group.rank();
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, group.handle()), "MPI_Allreduce");
  if (lowest == group.size()) return;
  auto length = static_cast<int>(mistake.size());
  mpi::check(MPI_Bcast(&length, 1, MPI_INT, lowest, group.handle()), "MPI_Bcast");
  mistake.resize(static_cast<std::size_t>(length));
  mpi::check(MPI_Bcast(mistake.data(), length, MPI_CHAR, lowest, group.handle()), "MPI_Bcast");
  reject(option, "{}", mistake);
}

}  // namespace stressbench::captured
