// Transfers: checks of the options, expected traffic and metrics.
#include <fmt/format.h>

#include "motifs/storage/transfers.hpp"

namespace stressbench::io {
namespace {

constexpr std::int64_t max_iterations = 65536;
constexpr std::int64_t max_mixed_transfers = 1'000'000'000;  // which of them read is drawn before each execution

}  // namespace

Transfers::Transfers(const BackendEntry& backend) : backend_(backend.make(*this)) {
  path_.preset("stressbench-" + backend.name + ".out");
}

AccessRequirements Transfers::requirements() const {
  const Access single_access = *work_ == Work::read ? Access::read : Access::write;
  return {.access = *work_ == Work::mixed ? Access::both : single_access,
          .even_transfers = *work_ != Work::mixed,
          .any_order = *random_,
          .grows = *work_ == Work::append};
}

void Transfers::check(int ranks) const {
  const auto needs_reads = [&](const Parameter& option) {
    if (option.was_given() && !reads()) reject(option.name(), "nothing is read with --do {}", work_.text());
  };
  if (ranks_given_.was_given() && *ranks_given_ != ranks)
    reject("ranks", "{}, but the job has {}", *ranks_given_, ranks);
  if (iterations() > max_iterations)
    reject("iterations", "{}; at most {}; use [REPEAT] or [LOOP] for more", iterations(), max_iterations);
  if (drawn_.enabled()) check_drawn(ranks);
  if (size_->value % *segments_ != 0)
    reject("segments", "{} do not divide --size {} into equal blocks", *segments_, size_.text());
  if (2.0 * ranks * static_cast<double>(size_->value) > static_cast<double>(max_bytes_of_job))
    reject("size", "{} of each of {} ranks is more than any file system holds", size_.text(), ranks);
  if (!FitsMessage::holds(Bytes{transfer_bytes()})) {
    reject("transfer", "a block of {} is too long for one transfer; {}", units::spell(Bytes{block()}),
           FitsMessage::words);
  }
  if (const std::int64_t transfers = Extents(size_->value, *segments_, transfer_bytes(), {}).transfers();
      *work_ == Work::mixed && transfers > max_mixed_transfers) {
    reject("transfer", "--do mixed takes at most {} transfers of each rank, not {}", max_mixed_transfers, transfers);
  }
  if (*existing_ && *work_ != Work::read)
    reject("existing", "requires --do read; files that this run did not create are not written");
  if (*existing_ && *overwrite_) reject("overwrite", "not with --existing");
  if (read_share_.was_given() && *work_ != Work::mixed) reject("read-share", "requires --do mixed");
  if (*directories_ != Directories::none && files_->each == Files::Each::all)
    reject("directories", "there is one file; see --files");
  needs_reads(shift_);
  needs_reads(drop_caches_);
  if (*shift_ < 0 || *shift_ >= ranks)
    reject("shift", "{}, but the job has {} ranks; 0 to {} would fit", *shift_, ranks, ranks - 1);
  if (*shift_ > 0 && !backend_->takes_offsets())
    reject("shift", "with shared file pointers it is unknown which rank's bytes are where");
  if (*shift_ > 0 && backend_->per_rank_files())
    reject("shift", "with this backend each rank reads only what it wrote itself");
  if (*existing_ && backend_->per_rank_files())
    reject("existing", "with this backend each rank reads only what it wrote itself");
  pace_.check();
  backend_->check(requirements());
}

void Transfers::check_drawn(int ranks) const {
  const std::string option = "sizes-from";
  drawn_.check(ranks);
  const auto refuse = [&](const std::string& text) { throw ParameterMistake(option, "--" + option + ": " + text); };
  if (size_.was_given()) refuse("not with --size");
  if (transfer_->value == 0) refuse("needs --transfer, as blocks differ in length");
  if (*segments_ > 1) refuse("not with --segments");
  if (*work_ != Work::write && *work_ != Work::write_read) {
    refuse(fmt::format("files are created anew each time; --do {} needs existing files, write and write_read do not",
                       work_.text()));
  }
}

Traffic Transfers::traffic(int ranks) const {
  const std::int64_t directions = *work_ == Work::write_read ? 2 : 1;
  const double rank_bytes = drawn_.enabled() ? drawn_.mean() : static_cast<double>(size_->value);
  return {.file_bytes = static_cast<std::int64_t>(ranks * rank_bytes) * directions};
}

// With a time limit or drawn sizes the amount is not known in advance: only the motif's own rates are given.
std::optional<Bandwidth> Transfers::bandwidth(int ranks) const {
  if (pace_.limited() || drawn_.enabled()) return std::nullopt;
  return Bandwidth{static_cast<double>(traffic(ranks).file_bytes),
                   "bytes that all ranks move / time of open, transfers, sync and close"};
}

// Metrics of the operations that the options select. Options are set before the first call.
std::span<Metric* const> Transfers::measured() const {
  if (!measured_.empty()) return measured_;
  for (Metric* metric : metrics()) {
    const std::string_view name = metric->name();
    const bool of_writing = name.starts_with("write") || name.starts_with("written");
    const bool of_reading = name.starts_with("read");
    if ((of_writing && !writes()) || (of_reading && !reads()) || (name.starts_with("sync") && !*sync_)) continue;
    measured_.push_back(metric);
  }
  return measured_;
}

std::vector<MotifHistogram*> Transfers::histograms() {
  std::vector<MotifHistogram*> selected;
  if (writes()) selected.push_back(&write_times_);
  if (reads()) selected.push_back(&read_times_);
  return selected;
}

}  // namespace stressbench::io
