// Transfers: the timed region, and the reduction of its metrics.
#include "motifs/storage/transfers.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>

namespace stressbench::io {

void Transfers::perform(Recorder& recorder) {
  if (writing_) {
    writing_->opening.file_bytes = writing_->base + writing_->extents.file_bytes();
    run(*writing_, write_spans_, recorder);
    if (*work_ == Work::append) writing_->base = writing_->opening.file_bytes;
  }
  if (!reading_) return;
  if (writing_) {
    reading_limit_ = pace_.limited() ? of_writer(progress_.transfers, reading_->writer) : reading_->extents.transfers();
    group_->barrier();  // the other ranks have written
  }
  run(*reading_, read_spans_, recorder);
}

void Transfers::run(Pass& pass, std::vector<Span>& spans, Recorder& recorder) {
  Span& span = spans.emplace_back();
  span.opening_ns = recorder.now_ns();
  backend_->open(pass.opening);
  span.first_ns = recorder.now_ns();
  pace_.start(span.first_ns);
  progress_ = {};
  move(pass, recorder);
  const std::int64_t moved_ns = recorder.now_ns();
  span.last_ns = moved_ns;
  if (*sync_ && pass.access != Access::read) {
    backend_->sync();
    span.last_ns = recorder.now_ns();
  }
  backend_->close();
  span.closed_ns = recorder.now_ns();
  span.bytes = progress_.written + progress_.read;
  span.transfers = progress_.transfers;

  open_.add(Nanoseconds{span.first_ns - span.opening_ns}.seconds());
  (pass.access == Access::read ? read_ : write_).add(Nanoseconds{moved_ns - span.first_ns}.seconds());
  if (pass.access != Access::read) sync_time_.add(Nanoseconds{span.last_ns - moved_ns}.seconds());
  close_.add(Nanoseconds{span.closed_ns - span.last_ns}.seconds());
  written_.add(static_cast<double>(progress_.written));
  taken_.add(static_cast<double>(progress_.read));
  operations_.add(static_cast<double>(progress_.transfers));
}

void Transfers::move(const Pass& pass, Recorder& recorder) {
  const std::int64_t all = pass.access == Access::read ? reading_limit_ : pass.extents.transfers();
  if (!pace_.limited()) return move_until(pass, all, Stop::when_done, recorder);
  if (backend_->collective()) {
    move_collectively(pass, all, recorder);
  } else {
    move_until(pass, all, Stop::when_time_is_up, recorder);
  }
  if (!pace_.wears_out()) return;
  std::int64_t most = progress_.transfers;
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, group_->handle()), "MPI_Allreduce");
  move_until(pass, most, Stop::when_done, recorder);
}

// Ranks with collective transfers stop together: the first rank announces how many transfers come next, enough for the
// announcement to cost little.
void Transfers::move_collectively(const Pass& pass, std::int64_t all, Recorder& recorder) {
  constexpr std::int64_t batch_ns = 10'000'000;
  std::int64_t next = 1;
  for (std::int64_t start_ns = recorder.now_ns();;) {
    std::int64_t batch = pace_.time_is_up(start_ns) ? 0 : std::min(next, all - progress_.transfers);
    mpi::check(MPI_Bcast(&batch, 1, MPI_INT64_T, 0, pass.ranks.handle()), "MPI_Bcast");
    if (batch == 0) return;
    move_until(pass, progress_.transfers + batch, Stop::when_done, recorder);
    const std::int64_t end_ns = recorder.now_ns();
    if (end_ns - start_ns < batch_ns / 2) next = batch * 2;
    start_ns = end_ns;
  }
}

void Transfers::move_until(const Pass& pass, std::int64_t until, Stop stop, Recorder& recorder) {
  std::int64_t now_ns = recorder.now_ns();
  while (progress_.transfers < until) {
    const std::int64_t first = progress_.transfers;
    const auto window = static_cast<std::size_t>(std::min(std::ssize(in_flight_), until - first));
    std::int64_t bytes = 0;
    for (std::size_t slot = 0; slot < window; ++slot) {
      if (slot > 0) now_ns = recorder.now_ns();
      Transfer& one = in_flight_[slot];
      plan(pass, first + static_cast<std::int64_t>(slot), one);
      one.started_ns = verified_ ? stamped(pass, one, recorder) : now_ns;
      start(one);
      bytes += one.extent.length;
    }
    if (waits_) backend_->wait();
    now_ns = recorder.now_ns();
    progress_.transfers += static_cast<std::int64_t>(window);
    for (std::size_t slot = 0; slot < window; ++slot) end(pass, in_flight_[slot], now_ns);
    if (*sync_each_ && pass.access != Access::read) backend_->sync();
    if (pace_.rest(bytes, now_ns, recorder) || *sync_each_ || verified_) now_ns = recorder.now_ns();
    if (stop == Stop::when_time_is_up && pace_.time_is_up(now_ns)) return;
  }
}

void Transfers::plan(const Pass& pass, std::int64_t turn, Transfer& one) const {
  const std::int64_t number = order_ ? (*order_)(turn) : turn;
  one.extent = pass.extents.at(number);
  one.extent.offset += pass.base;
  one.reads = pass.access == Access::read || (pass.access == Access::both && reads_next_[number]);
}

void Transfers::start(const Transfer& one) {
  if (one.reads) {
    backend_->read(one.extent.offset, one.bytes());
    progress_.read += one.extent.length;
  } else {
    backend_->write(one.extent.offset, one.bytes());
    progress_.written += one.extent.length;
  }
}

void Transfers::end(const Pass& pass, const Transfer& one, std::int64_t now_ns) {
  (one.reads ? read_times_ : write_times_).record(now_ns - one.started_ns);
  if (!verified_ || !one.reads || *existing_ || !backend_->takes_offsets()) return;
  if (const auto words = wrong_byte(pass, one, *work_ == Work::write_read ? stamp_ : stamp_beforehand))
    throw MachineFault(*words);
}

void Transfers::reduce_metrics() {
  reduce_metrics(write_spans_, {write_whole_, write_moving_, write_operations_, write_own_});
  reduce_metrics(read_spans_, {read_whole_, read_moving_, read_operations_, read_own_});
}

// Reduces each iteration to the time from the first rank's start to the last rank's end.
void Transfers::reduce_metrics(std::vector<Span>& spans, Rates rates) {
  for (const Span& span : spans) {
    const auto common = [&](std::int64_t moment_ns) { return moment_ns - clock_offset_ns_; };
    std::array<std::int64_t, 4> limits{-common(span.opening_ns), -common(span.first_ns), common(span.last_ns),
                                       common(span.closed_ns)};
    std::array<std::int64_t, 2> moved{span.bytes, span.transfers};
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, limits.data(), 4, MPI_INT64_T, MPI_MAX, group_->handle()), "MPI_Allreduce");
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, moved.data(), 2, MPI_INT64_T, MPI_SUM, group_->handle()), "MPI_Allreduce");
    const double moving_s = Nanoseconds{limits[2] + limits[1]}.seconds();
    rates.whole.add(static_cast<double>(moved[0]), Nanoseconds{limits[3] + limits[0]}.seconds());
    rates.moving.add(static_cast<double>(moved[0]), moving_s);
    rates.operations.add(static_cast<double>(moved[1]), moving_s);
    rates.own.add(static_cast<double>(span.bytes), Nanoseconds{span.closed_ns - span.opening_ns}.seconds());
  }
  spans.clear();
}

}  // namespace stressbench::io
