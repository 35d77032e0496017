#include "motifs/probe/pair_times.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "core/statistics.hpp"

namespace stressbench {
namespace {

constexpr int tag = 2;
constexpr std::string_view head = "round,size_bytes,lower_rank,higher_rank,tournaments,fastest_s,median_s,slowest_s\n";

// The errno of what failed, 0 where nothing did. Nothing of the file is lost that was there.
int append_text(std::FILE* file, std::string_view text) {
  errno = 0;
  return std::fwrite(text.data(), 1, text.size(), file) == text.size() ? 0 : errno;
}

std::string receive_lines(int rank, const mpi::Group& group) {
  MPI_Status status;
  mpi::must(MPI_Probe(rank, tag, group.handle(), &status), "MPI_Probe");
  int length = 0;
  MPI_Get_count(&status, MPI_CHAR, &length);
  std::string text(static_cast<std::size_t>(length), '\0');
  mpi::must(MPI_Recv(text.data(), length, MPI_CHAR, rank, tag, group.handle(), MPI_STATUS_IGNORE), "MPI_Recv");
  return text;
}

int write_all(const std::string& path, const std::string& own, const mpi::Group& group) {
  errno = 0;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::fopen(path.c_str(), "a"), std::fclose};
  int failure = file ? 0 : errno;
  if (failure == 0 && std::fseek(file.get(), 0, SEEK_END) == 0 && std::ftell(file.get()) == 0)
    failure = append_text(file.get(), head);
  for (int rank = 0; rank < group.size() - 1; ++rank) {
    const std::string text = rank == 0 ? own : receive_lines(rank, group);
    if (failure == 0) failure = append_text(file.get(), text);
  }
  errno = 0;
  if (failure == 0 && std::fflush(file.get()) != 0) failure = errno;
  return failure;
}

}  // namespace

PairTimes::PairTimes(int rank, int ranks) : rank_(rank), pairs_(static_cast<std::size_t>(ranks - 1 - rank)) {}

void PairTimes::add(int higher, double time_s) noexcept {
  Pair& pair = pairs_[static_cast<std::size_t>(higher - rank_ - 1)];
  pair.last_s[static_cast<std::size_t>(pair.tournaments++) % kept] = time_s;
}

std::string PairTimes::lines(int round, std::int64_t size_bytes) const {
  std::string text;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const Pair& pair = pairs_[i];
    const auto count = std::min<std::size_t>(static_cast<std::size_t>(pair.tournaments), kept);
    if (count == 0) continue;
    std::vector<double> times_s(pair.last_s.begin(), pair.last_s.begin() + static_cast<std::ptrdiff_t>(count));
    const auto [fastest, slowest] = std::ranges::minmax(times_s);
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{:.6e},{:.6e},{:.6e}\n", round, size_bytes, rank_,
                   static_cast<std::size_t>(rank_) + 1 + i, count, fastest, *median(times_s), slowest);
  }
  return text;
}

void PairTimes::append(const std::string& path, const mpi::Group& group, int round, std::int64_t size_bytes) const {
  const std::string own = lines(round, size_bytes);
  int failure = 0;
  if (rank_ == 0) {
    failure = write_all(path, own, group);
  } else if (rank_ < group.size() - 1) {  // the last rank begins no game
    mpi::must(MPI_Send(own.data(), static_cast<int>(own.size()), MPI_CHAR, 0, tag, group.handle()), "MPI_Send");
  }
  mpi::must(MPI_Bcast(&failure, 1, MPI_INT, 0, group.handle()), "MPI_Bcast");
  if (failure != 0) throw MachineFault(fmt::format("--matrix '{}': {}", path, std::strerror(failure)));
}

}  // namespace stressbench
