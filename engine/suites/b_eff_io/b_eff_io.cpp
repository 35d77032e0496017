#include "suites/b_eff_io/b_eff_io.hpp"

#include <fmt/format.h>

#include "core/progress.hpp"
#include "suites/memory_share.hpp"

namespace stressbench::beff {

void BEffIo::check(int ranks) const {
  hints_.check();
  if (iterations() != 1)
    reject("iterations", "the results of {} iterations would be added up; use 1 iteration and more repetitions",
           iterations());
  for (const int size : partition_sizes(ranks)) {
    if (size < 1 || size > ranks) reject("partitions", "{}: expected 1 to {} ranks", size, ranks);
  }
  for (const std::int64_t type : *types_) {
    if (type < 0 || type >= io_types || std::ranges::count(*types_, type) > 1)
      reject("types", "{}: expected numbers from 0 to 4, each once", type);
  }
  if (!has(IoType::scatter) && !has(IoType::shared) && !has(IoType::separate))
    reject("types", "the length of segments follows from types 0 to 2; add one of them");
  if (mpart_.was_given() && (mpart_->value < io_mb || mpart_->value % 8 != 0))
    reject("mpart", "{}: expected 1 MiB or more, in multiples of 8 bytes", mpart_->value);
}

// Exact with --calls and --mpart; otherwise the traffic depends on times and memory.
Traffic BEffIo::traffic(int ranks) const {
  Traffic traffic;
  if (*calls_ == 0) return traffic;
  const auto repeats = [&](const IoPattern& pattern) { return pattern.units > 0 ? *calls_ : 1; };
  const std::vector<IoPattern> patterns = io_patterns(mpart_.was_given() ? mpart_->value : 2 * io_mb);
  std::int64_t in_segment = 0;
  for (const IoPattern& pattern : patterns) {
    if (pattern.type == IoType::segmented && !pattern.fills) in_segment += repeats(pattern) * pattern.chunk_bytes;
  }
  const std::int64_t rest = segment_bytes(in_segment) - in_segment;
  for (const int size : partition_sizes(ranks)) {
    for (const IoPattern& pattern : patterns) {
      for (const IoAccess access : io_accesses) {
        if (!does(access, pattern.type)) continue;
        const std::int64_t of_rank = pattern.fills
                                         ? (access == IoAccess::write ? rest : std::min(rest, pattern.chunk_bytes))
                                         : repeats(pattern) * pattern.memory_bytes;
        traffic.file_bytes += size * of_rank;
      }
    }
  }
  return traffic;
}

void BEffIo::decompose(const mpi::Group& group, const Draw&) {
  own_ = group.duplicate();
  if (protocol_file_.was_given()) protocol_.emplace(group, "protocol", *protocol_file_, run_);
  if (!mpart_.was_given()) memory_bytes_ = memory_.was_given() ? memory_->value : memory_per_rank(group).value;
  patterns_ = io_patterns(mpart());
  hints_.prepare();
  parts_.clear();
  for (const int size : partition_sizes(group.size())) {
    Partition& partition = parts_.emplace_back();
    partition.index = static_cast<int>(parts_.size()) - 1;
    partition.ranks = size;
    partition.group = own_.split(own_.rank() < size ? 0 : MPI_UNDEFINED, own_.rank());
    partition.region.resize(patterns_.size());
    partition.written.resize(patterns_.size());
  }
  owned_.emplace(group, io::Claim{.path = *path_,
                                  .layout = layout(),
                                  .run = run_,
                                  .existing = *overwrite_ ? io::Existing::replace : io::Existing::refuse,
                                  .keep = *keep_,
                                  .exclusive = true});
  const auto longest = static_cast<std::size_t>(std::ranges::max(patterns_, {}, &IoPattern::memory_bytes).memory_bytes);
  out_ = Buffer(longest);
  in_ = Buffer(longest);
  fill(0);
}

// Removes the files of the previous execution, since only the writing of a new file is initial.
void BEffIo::prepare(std::uint64_t execution) {
  execution_ = static_cast<int>(execution);
  io::remove_share(*path_, layout(), {own_.rank(), own_.size()});
  own_.barrier();
}

void BEffIo::perform(Recorder& recorder) {
  wrong_.reset();
  reads_ = 0;
  checking_ns_ = 0;
  sync_s_per_byte_ = 0;
  IoHead head;
  head.round = execution_;
  head.ranks = own_.size();
  head.scheduled_s = time_->seconds();
  head.release = static_cast<int>(*release_);
  head.shared_pointers = !*no_shared_;
  head.mpart_bytes = mpart();
  if (!mpart_.was_given()) head.memory_bytes = memory_bytes_;
  if (limit_->value > 0) head.limit_bytes = limit_->value;
  for (const Partition& partition : parts_) head.partitions.push_back(partition.ranks);
  for (const std::int64_t type : *types_) head.types.push_back(static_cast<int>(type));
  for (const Hint& hint : hints_.asked()) head.hints.push_back(Spelling<Hint>::write(hint));
  record(as_json_line(head));

  const std::int64_t start_ns = recorder.now_ns();
  int units = 0;
  for (const IoAccess access : io_accesses) units += units_of(access);
  const auto schedule = [&](int partitions) {
    schedule_ns_ = recorder.now_ns();
    shares_ = TimeShares(time_->seconds(), units * partitions);
  };
  if (*release_ == 1) {
    for (Partition& partition : parts_) {
      schedule(1);
      for (const IoAccess access : io_accesses) measure(partition, access, recorder);
    }
  } else {
    schedule(static_cast<int>(parts_.size()));
    for (const IoAccess access : io_accesses) {
      for (Partition& partition : parts_) measure(partition, access, recorder);
    }
  }
  elapsed_s_ = static_cast<double>(recorder.now_ns() - start_ns - checking_ns_) * 1e-9;
  record(end_as_json_line(complete() ? std::optional(value_of(best())) : std::nullopt, elapsed_s_));
}

// Executed by rank 0, which is in all partitions.
void BEffIo::record(const std::string& text) const {
  if (own_.rank() == 0 && protocol_) protocol_->append(text);
}

// Ranks of other partitions sleep while they wait, so that they take no CPU time from the measurement.
void BEffIo::wait_for_all() const {
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::check(MPI_Ibarrier(own_.handle(), &request), "MPI_Ibarrier");
  for (int done = 0; !done;) {
    mpi::check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (!done) sleep_for(1'000'000);
    progress::advance();
  }
}

void BEffIo::measure(Partition& partition, IoAccess access, Recorder& recorder) {
  if (partition.group) {
    for (int type = 0; type < io_types; ++type) {
      if (does(access, static_cast<IoType>(type))) measure_type(partition, access, static_cast<IoType>(type), recorder);
    }
  } else {
    shares_.take(0, units_of(access));
  }
  if (parts_.size() > 1) wait_for_all();
}

void BEffIo::reduce_metrics() {
  if (!thorough_ && wrong_) throw MachineFault(*wrong_);
  const double scheduled_s = time_->seconds() * (*release_ == 1 ? static_cast<double>(parts_.size()) : 1);
  used_.add(elapsed_s_ / scheduled_s);
  if (!complete()) return;
  const Partition& part = best();
  std::array<double, 4> values{value_of(part), of_access(part, IoAccess::write), of_access(part, IoAccess::rewrite),
                               of_access(part, IoAccess::read)};
  mpi::check(MPI_Bcast(values.data(), 4, MPI_DOUBLE, 0, own_.handle()), "MPI_Bcast");
  number_.add(values[0]);
  write_.add(values[1]);
  rewrite_.add(values[2]);
  read_.add(values[3]);
}

std::vector<std::string> BEffIo::notes() const {
  std::vector<std::string> found = notes_;
  const auto add = [&](const std::string& why) { found.push_back("not comparable with published b_eff_io: " + why); };
  const double needed_s = static_cast<double>(io_definition_s) * (*release_ == 1 ? 1 : 2);
  if (*calls_ > 0) {
    add("--calls was given");
  } else if (time_->seconds() < needed_s) {
    add(fmt::format("{} is less than the {:.0f} min of the definition", units::spell(*time_), needed_s / 60));
  }
  if (!complete()) add("--types leaves out pattern types, so there is no b_eff_io value");
  if (limit_->value > 0) add("--limit was given");
  if (*no_shared_) add("--no-shared was given");
  if (thorough_) add("contents were verified, which slows down reading");
  return found;
}

namespace {

const RegisterMotif<BEffIo> registered{"b_eff_io", Family::suite,
                                       "the effective I/O bandwidth benchmark: one number for a file system",
                                       "Rabenseifner and Koniges, section 5"};

}  // namespace
}  // namespace stressbench::beff
