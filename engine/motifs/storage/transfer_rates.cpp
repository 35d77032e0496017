#include "motifs/storage/transfer_rates.hpp"

#include <mpi.h>

#include <array>

namespace stressbench::io {

void TransferRates::reserve(std::size_t passes) {
  write_spans_.reserve(passes);
  read_spans_.reserve(passes);
}

void TransferRates::clear() noexcept {
  write_spans_.clear();
  read_spans_.clear();
}

void TransferRates::add(Access access, const Span& span) {
  const bool reads_only = access == Access::read;
  (reads_only ? read_spans_ : write_spans_).push_back(span);
  open_.add(Nanoseconds{span.first_start_ns - span.open_start_ns}.seconds());
  (reads_only ? read_ : write_).add(Nanoseconds{span.transfer_end_ns - span.first_start_ns}.seconds());
  if (!reads_only) sync_.add(Nanoseconds{span.sync_end_ns - span.transfer_end_ns}.seconds());
  close_.add(Nanoseconds{span.close_end_ns - span.sync_end_ns}.seconds());
  written_bytes_.add(static_cast<double>(span.written));
  read_bytes_.add(static_cast<double>(span.read));
  transfers_.add(static_cast<double>(span.transfers));
}

void TransferRates::reduce(const mpi::Group& group, std::int64_t clock_offset_ns) {
  reduce(write_spans_, {write_bandwidth_, write_transfer_bandwidth_, write_transfers_per_s_, write_rank_bandwidth_},
         group, clock_offset_ns);
  reduce(read_spans_, {read_bandwidth_, read_transfer_bandwidth_, read_transfers_per_s_, read_rank_bandwidth_}, group,
         clock_offset_ns);
}

void TransferRates::reduce(std::vector<Span>& spans, Rates rates, const mpi::Group& group,
                           std::int64_t clock_offset_ns) {
  for (const Span& span : spans) {
    const auto common = [&](std::int64_t moment_ns) { return moment_ns - clock_offset_ns; };
    std::array<std::int64_t, 4> span_limits{-common(span.open_start_ns), -common(span.first_start_ns),
                                            common(span.sync_end_ns), common(span.close_end_ns)};
    const std::int64_t bytes = span.written + span.read;
    std::array<std::int64_t, 2> totals{bytes, span.transfers};
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, span_limits.data(), 4, MPI_INT64_T, MPI_MAX, group.handle()),
               "MPI_Allreduce");
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, totals.data(), 2, MPI_INT64_T, MPI_SUM, group.handle()), "MPI_Allreduce");
    const double transfer_s = Nanoseconds{span_limits[2] + span_limits[1]}.seconds();
    rates.bandwidth.add(static_cast<double>(totals[0]), Nanoseconds{span_limits[3] + span_limits[0]}.seconds());
    rates.transfer_bandwidth.add(static_cast<double>(totals[0]), transfer_s);
    rates.transfers_per_s.add(static_cast<double>(totals[1]), transfer_s);
    rates.rank_bandwidth.add(static_cast<double>(bytes), Nanoseconds{span.close_end_ns - span.open_start_ns}.seconds());
  }
  spans.clear();
}

}  // namespace stressbench::io
