// Transfers: the timed region.
#include "motifs/storage/transfers.hpp"

#include <mpi.h>

#include <algorithm>

namespace stressbench::io {

void Transfers::perform(Recorder& recorder) {
  if (writing_) {
    writing_->opening.file_bytes = writing_->base + writing_->extents.file_bytes();
    run_pass(*writing_, recorder);
    if (*work_ == Work::append) writing_->base = writing_->opening.file_bytes;
  }
  if (!reading_) return;
  if (writing_) {
    reading_limit_ =
        pace_.limited() ? transfers_of_writer(progress_.transfers, reading_->writer) : reading_->extents.transfers();
    group_->barrier();  // the other ranks have written
  }
  run_pass(*reading_, recorder);
}

void Transfers::run_pass(Pass& pass, Recorder& recorder) {
  TransferRates::Span span;
  span.open_start_ns = recorder.now_ns();
  backend_->open(pass.opening);
  span.first_start_ns = recorder.now_ns();
  pace_.start(span.first_start_ns);
  progress_ = {};
  transfer_all(pass, recorder);
  span.transfer_end_ns = recorder.now_ns();
  span.sync_end_ns = span.transfer_end_ns;
  if (*sync_ && pass.access != Access::read) {
    backend_->sync();
    span.sync_end_ns = recorder.now_ns();
  }
  backend_->close();
  span.close_end_ns = recorder.now_ns();
  span.written = progress_.written;
  span.read = progress_.read;
  span.transfers = progress_.transfers;
  rates_.add(pass.access, span);
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
  if (const auto text = wrong_byte(pass, transfer, *work_ == Work::write_read ? payload_key_ : initial_payload_key))
    throw MachineFault(*text);
}

}  // namespace stressbench::io
