// Transfers: the timed region, and the reduction of its metrics.
#include "motifs/storage/transfers.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>

namespace stressbench::io {

void Transfers::perform(Recorder& recorder) {
  if (writing_) {
    writing_->opening.file_bytes = writing_->base + writing_->extents.file_bytes();
    run_pass(*writing_, write_spans_, recorder);
    if (*work_ == Work::append) writing_->base = writing_->opening.file_bytes;
  }
  if (!reading_) return;
  if (writing_) {
    reading_limit_ =
        pace_.limited() ? transfers_of_writer(progress_.transfers, reading_->writer) : reading_->extents.transfers();
    group_->barrier();  // the other ranks have written
  }
  run_pass(*reading_, read_spans_, recorder);
}

void Transfers::run_pass(Pass& pass, std::vector<Span>& spans, Recorder& recorder) {
  Span& span = spans.emplace_back();
  span.open_start_ns = recorder.now_ns();
  backend_->open(pass.opening);
  span.first_start_ns = recorder.now_ns();
  pace_.start(span.first_start_ns);
  progress_ = {};
  transfer_all(pass, recorder);
  const std::int64_t transfer_end_ns = recorder.now_ns();
  span.last_end_ns = transfer_end_ns;
  if (*sync_ && pass.access != Access::read) {
    backend_->sync();
    span.last_end_ns = recorder.now_ns();
  }
  backend_->close();
  span.close_end_ns = recorder.now_ns();
  span.bytes = progress_.written + progress_.read;
  span.transfers = progress_.transfers;

  open_.add(Nanoseconds{span.first_start_ns - span.open_start_ns}.seconds());
  (pass.access == Access::read ? read_ : write_).add(Nanoseconds{transfer_end_ns - span.first_start_ns}.seconds());
  if (pass.access != Access::read) sync_time_.add(Nanoseconds{span.last_end_ns - transfer_end_ns}.seconds());
  close_.add(Nanoseconds{span.close_end_ns - span.last_end_ns}.seconds());
  written_bytes_.add(static_cast<double>(progress_.written));
  read_bytes_.add(static_cast<double>(progress_.read));
  transfers_.add(static_cast<double>(progress_.transfers));
}

void Transfers::transfer_all(const Pass& pass, Recorder& recorder) {
  const std::int64_t transfers = pass.access == Access::read ? reading_limit_ : pass.extents.transfers();
  if (!pace_.limited()) return transfer_until(pass, transfers, Stop::when_complete, recorder);
  if (backend_->collective()) {
    transfer_collectively(pass, transfers, recorder);
  } else {
    transfer_until(pass, transfers, Stop::at_time_limit, recorder);
  }
  if (!pace_.continues_until_equal()) return;
  std::int64_t most = progress_.transfers;
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, group_->handle()), "MPI_Allreduce");
  transfer_until(pass, most, Stop::when_complete, recorder);
}

// Ranks with collective transfers stop together: the first rank announces how many transfers come next, enough for the
// announcement to cost little.
void Transfers::transfer_collectively(const Pass& pass, std::int64_t transfers, Recorder& recorder) {
  constexpr std::int64_t batch_ns = 10'000'000;
  std::int64_t next = 1;
  for (std::int64_t start_ns = recorder.now_ns();;) {
    std::int64_t batch = pace_.time_limit_reached(start_ns) ? 0 : std::min(next, transfers - progress_.transfers);
    mpi::check(MPI_Bcast(&batch, 1, MPI_INT64_T, 0, pass.ranks.handle()), "MPI_Bcast");
    if (batch == 0) return;
    transfer_until(pass, progress_.transfers + batch, Stop::when_complete, recorder);
    const std::int64_t end_ns = recorder.now_ns();
    if (end_ns - start_ns < batch_ns / 2) next = batch * 2;
    start_ns = end_ns;
  }
}

void Transfers::transfer_until(const Pass& pass, std::int64_t until, Stop stop, Recorder& recorder) {
  std::int64_t now_ns = recorder.now_ns();
  while (progress_.transfers < until) {
    const std::int64_t first = progress_.transfers;
    const auto window = static_cast<std::size_t>(std::min(std::ssize(in_flight_), until - first));
    std::int64_t bytes = 0;
    for (std::size_t slot = 0; slot < window; ++slot) {
      if (slot > 0) now_ns = recorder.now_ns();
      Transfer& transfer = in_flight_[slot];
      plan_transfer(pass, first + static_cast<std::int64_t>(slot), transfer);
      transfer.started_ns = verified_ ? fill_write_payload(pass, transfer, recorder) : now_ns;
      start(transfer);
      bytes += transfer.extent.length;
    }
    if (nonblocking_) backend_->wait();
    now_ns = recorder.now_ns();
    progress_.transfers += static_cast<std::int64_t>(window);
    for (std::size_t slot = 0; slot < window; ++slot) finish_transfer(pass, in_flight_[slot], now_ns);
    if (*sync_each_ && pass.access != Access::read) backend_->sync();
    if (pace_.pause_after(bytes, now_ns, recorder) || *sync_each_ || verified_) now_ns = recorder.now_ns();
    if (stop == Stop::at_time_limit && pace_.time_limit_reached(now_ns)) return;
  }
}

void Transfers::plan_transfer(const Pass& pass, std::int64_t position, Transfer& transfer) const {
  const std::int64_t number = order_ ? (*order_)(position) : position;
  transfer.extent = pass.extents.at(number);
  transfer.extent.offset += pass.base;
  transfer.reads = pass.access == Access::read || (pass.access == Access::both && reads_next_[number]);
}

void Transfers::start(const Transfer& transfer) {
  if (transfer.reads) {
    backend_->read(transfer.extent.offset, transfer.bytes());
    progress_.read += transfer.extent.length;
  } else {
    backend_->write(transfer.extent.offset, transfer.bytes());
    progress_.written += transfer.extent.length;
  }
}

void Transfers::finish_transfer(const Pass& pass, const Transfer& transfer, std::int64_t now_ns) {
  (transfer.reads ? read_times_ : write_times_).record(now_ns - transfer.started_ns);
  if (!verified_ || !transfer.reads || *existing_ || !backend_->takes_offsets()) return;
  if (const auto text = wrong_byte(pass, transfer, *work_ == Work::write_read ? stamp_ : initial_stamp))
    throw MachineFault(*text);
}

void Transfers::reduce_metrics() {
  reduce_metrics(write_spans_,
                 {write_bandwidth_, write_transfer_bandwidth_, write_transfers_per_s_, write_rank_bandwidth_});
  reduce_metrics(read_spans_, {read_bandwidth_, read_transfer_bandwidth_, read_transfers_per_s_, read_rank_bandwidth_});
}

// Reduces each iteration to the time from the first rank's start to the last rank's end.
void Transfers::reduce_metrics(std::vector<Span>& spans, Rates rates) {
  for (const Span& span : spans) {
    const auto common = [&](std::int64_t moment_ns) { return moment_ns - clock_offset_ns_; };
    std::array<std::int64_t, 4> span_limits{-common(span.open_start_ns), -common(span.first_start_ns),
                                            common(span.last_end_ns), common(span.close_end_ns)};
    std::array<std::int64_t, 2> totals{span.bytes, span.transfers};
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, span_limits.data(), 4, MPI_INT64_T, MPI_MAX, group_->handle()),
               "MPI_Allreduce");
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, totals.data(), 2, MPI_INT64_T, MPI_SUM, group_->handle()), "MPI_Allreduce");
    const double transfer_s = Nanoseconds{span_limits[2] + span_limits[1]}.seconds();
    rates.bandwidth.add(static_cast<double>(totals[0]), Nanoseconds{span_limits[3] + span_limits[0]}.seconds());
    rates.transfer_bandwidth.add(static_cast<double>(totals[0]), transfer_s);
    rates.transfers_per_s.add(static_cast<double>(totals[1]), transfer_s);
    rates.rank_bandwidth.add(static_cast<double>(span.bytes),
                             Nanoseconds{span.close_end_ns - span.open_start_ns}.seconds());
  }
  spans.clear();
}

}  // namespace stressbench::io
