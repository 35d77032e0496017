#include "motifs/probe/pair_times.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <exception>

#include "core/statistics.hpp"
#include "io/first_rank.hpp"

namespace stressbench {
namespace {

constexpr int tag = 2;
constexpr std::string_view csv_header =
    "round,size_bytes,lower_rank,higher_rank,tournaments,fastest_s,median_s,slowest_s\n";

std::string receive_lines(int rank, const mpi::Group& group) {
  MPI_Status status;
  mpi::check(MPI_Probe(rank, tag, group.handle(), &status), "MPI_Probe");
  int length = 0;
  MPI_Get_count(&status, MPI_CHAR, &length);
  std::string text(static_cast<std::size_t>(length), '\0');
  mpi::check(MPI_Recv(text.data(), length, MPI_CHAR, rank, tag, group.handle(), MPI_STATUS_IGNORE), "MPI_Recv");
  return text;
}

// Writes the lines of all ranks. After a failed write it still receives their lines, since they wait for it.
void write_all(const io::AppendedFile& file, const std::string& own, const mpi::Group& group) {
  std::exception_ptr failure;
  const auto unless_failed = [&](const auto& step) {
    if (failure) return;
    try {
      step();
    } catch (const MachineFault&) {
      failure = std::current_exception();
    }
  };
  unless_failed([&] {
    if (file.is_empty()) file.append(csv_header);
    file.append(own);
  });
  for (int rank = 1; rank < group.size() - 1; ++rank) {
    const std::string text = receive_lines(rank, group);
    unless_failed([&] { file.append(text); });
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

PairTimes::PairTimes(int rank, int ranks) : rank_(rank), pairs_(static_cast<std::size_t>(ranks - 1 - rank)) {}

void PairTimes::add(int higher_rank, double time_s) noexcept {
  Pair& pair = pairs_[static_cast<std::size_t>(higher_rank - rank_ - 1)];
  pair.recent_s[static_cast<std::size_t>(pair.tournaments++) % max_samples] = time_s;
}

std::string PairTimes::lines(int round, std::int64_t size_bytes) const {
  std::string text;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const Pair& pair = pairs_[i];
    const auto count = std::min<std::size_t>(static_cast<std::size_t>(pair.tournaments), max_samples);
    if (count == 0) continue;
    std::vector<double> times_s(pair.recent_s.begin(), pair.recent_s.begin() + static_cast<std::ptrdiff_t>(count));
    const auto [fastest, slowest] = std::ranges::minmax(times_s);
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{:.6e},{:.6e},{:.6e}\n", round, size_bytes, rank_,
                   static_cast<std::size_t>(rank_) + 1 + i, count, fastest, *median(times_s), slowest);
  }
  return text;
}

void PairTimes::append(const io::AppendedFile& file, const mpi::Group& group, int round,
                       std::int64_t size_bytes) const {
  const std::string own = lines(round, size_bytes);
  if (rank_ > 0 && rank_ < group.size() - 1) {  // the last rank is the lower one of no pair
    mpi::check(MPI_Send(own.data(), static_cast<int>(own.size()), MPI_CHAR, 0, tag, group.handle()), "MPI_Send");
  }
  io::on_first_rank(group, "matrix", [&] { write_all(file, own, group); });
}

}  // namespace stressbench
