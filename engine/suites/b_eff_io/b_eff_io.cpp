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
  if (!includes(IoType::scatter) && !includes(IoType::shared) && !includes(IoType::separate))
    reject("types", "the length of segments follows from types 0 to 2; add one of them");
  if (mpart_.was_given() && (mpart_->value < io_mb || mpart_->value % 8 != 0))
    reject("mpart", "{}: expected 1 MiB or more, in multiples of 8 bytes", mpart_->value);
}

// Exact with --calls and --mpart; otherwise the traffic depends on times and memory.
Traffic BEffIo::traffic(int ranks) const {
  Traffic traffic;
  if (*calls_ == 0) return traffic;
  const auto calls_of = [&](const IoPattern& pattern) { return pattern.units > 0 ? *calls_ : 1; };
  const std::vector<IoPattern> patterns = io_patterns(mpart_.was_given() ? mpart_->value : 2 * io_mb);
  std::int64_t segment_sum = 0;
  for (const IoPattern& pattern : patterns) {
    if (pattern.type == IoType::segmented && !pattern.fills) segment_sum += calls_of(pattern) * pattern.chunk_bytes;
  }
  const std::int64_t segment_rest = segment_bytes(segment_sum) - segment_sum;
  for (const int size : partition_sizes(ranks)) {
    for (const IoPattern& pattern : patterns) {
      for (const IoAccess access : io_accesses) {
        if (!measures(access, pattern.type)) continue;
        const std::int64_t rank_bytes =
            pattern.fills ? (access == IoAccess::write ? segment_rest : std::min(segment_rest, pattern.chunk_bytes))
                          : calls_of(pattern) * pattern.memory_bytes;
        traffic.file_bytes += size * rank_bytes;
      }
    }
  }
  return traffic;
}

void BEffIo::decompose(const mpi::Group& group, const Draw&) {
  group_ = group.duplicate();
  if (protocol_file_.was_given()) protocol_.emplace(group, "protocol", *protocol_file_, run_);
  if (!mpart_.was_given()) memory_bytes_ = memory_.was_given() ? memory_->value : memory_per_rank(group).value;
  patterns_ = io_patterns(mpart());
  hints_.prepare();
  measured_partitions_.clear();
  for (const int size : partition_sizes(group.size())) {
    Partition& partition = measured_partitions_.emplace_back();
    partition.index = static_cast<int>(measured_partitions_.size()) - 1;
    partition.ranks = size;
    partition.group = group_.split(group_.rank() < size ? 0 : MPI_UNDEFINED, group_.rank());
    partition.region.resize(patterns_.size());
    partition.written_calls.resize(patterns_.size());
  }
  owned_.emplace(group, io::Claim{.path = *path_,
                                  .layout = layout(),
                                  .run = run_,
                                  .existing = *overwrite_ ? io::Existing::replace : io::Existing::refuse,
                                  .keep = *keep_,
                                  .exclusive = true});
  const auto largest_transfer =
      static_cast<std::size_t>(std::ranges::max(patterns_, {}, &IoPattern::memory_bytes).memory_bytes);
  contents_.allocate(group_.rank(), largest_transfer);
}

// Removes the files of the previous execution, since only the writing of a new file is initial.
void BEffIo::prepare(std::uint64_t execution) {
  execution_ = static_cast<int>(execution);
  io::remove_share(*path_, layout(), {group_.rank(), group_.size()});
  group_.barrier();
}

void BEffIo::perform(Recorder& recorder) {
  contents_.start();
  sync_s_per_byte_ = 0;
  IoHeader header;
  header.round = execution_;
  header.ranks = group_.size();
  header.scheduled_s = time_->seconds();
  header.release = static_cast<int>(*release_);
  header.shared_pointers = !*no_shared_;
  header.mpart_bytes = mpart();
  if (!mpart_.was_given()) header.memory_bytes = memory_bytes_;
  if (limit_->value > 0) header.limit_bytes = limit_->value;
  for (const Partition& partition : measured_partitions_) header.partitions.push_back(partition.ranks);
  for (const std::int64_t type : *types_) header.types.push_back(static_cast<int>(type));
  for (const Hint& hint : hints_.requested()) header.hints.push_back(Spelling<Hint>::write(hint));
  write_protocol(as_json_line(header));

  const std::int64_t start_ns = recorder.now_ns();
  int units = 0;
  for (const IoAccess access : io_accesses) units += units_of(access);
  const auto schedule = [&](int partitions) {
    schedule_start_ns_ = recorder.now_ns();
    shares_ = TimeShares(time_->seconds(), units * partitions);
  };
  if (*release_ == 1) {
    for (Partition& partition : measured_partitions_) {
      schedule(1);
      for (const IoAccess access : io_accesses) measure(partition, access, recorder);
    }
  } else {
    schedule(static_cast<int>(measured_partitions_.size()));
    for (const IoAccess access : io_accesses) {
      for (Partition& partition : measured_partitions_) measure(partition, access, recorder);
    }
  }
  elapsed_s_ = static_cast<double>(recorder.now_ns() - start_ns - contents_.check_time_ns()) * 1e-9;
  write_protocol(end_as_json_line(complete() ? std::optional(b_eff_io_value(best())) : std::nullopt, elapsed_s_));
}

// Executed by rank 0, which is in all partitions.
void BEffIo::write_protocol(const std::string& text) const {
  if (group_.rank() == 0 && protocol_) protocol_->append(text);
}

// Ranks of other partitions sleep while they wait, so that they take no CPU time from the measurement.
void BEffIo::sleeping_barrier() const {
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::check(MPI_Ibarrier(group_.handle(), &request), "MPI_Ibarrier");
  for (int done = 0; !done;) {
    mpi::check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (!done) sleep_for(1'000'000);
    progress::advance();
  }
}

void BEffIo::measure(Partition& partition, IoAccess access, Recorder& recorder) {
  if (partition.group) {
    for (int type = 0; type < io_types; ++type) {
      if (measures(access, static_cast<IoType>(type)))
        measure_type(partition, access, static_cast<IoType>(type), recorder);
    }
  } else {
    shares_.take_share(0, units_of(access));
  }
  if (measured_partitions_.size() > 1) sleeping_barrier();
}

void BEffIo::reduce_metrics() {
  if (!contents_.checks_all_bytes() && contents_.fault()) throw MachineFault(*contents_.fault());
  const double scheduled_s = time_->seconds() * (*release_ == 1 ? static_cast<double>(measured_partitions_.size()) : 1);
  time_share_used_.add(elapsed_s_ / scheduled_s);
  if (!complete()) return;
  const Partition& part = best();
  std::array<double, 4> values{b_eff_io_value(part), access_bandwidth(part, IoAccess::write),
                               access_bandwidth(part, IoAccess::rewrite), access_bandwidth(part, IoAccess::read)};
  mpi::check(MPI_Bcast(values.data(), 4, MPI_DOUBLE, 0, group_.handle()), "MPI_Bcast");
  b_eff_io_.add(values[0]);
  write_.add(values[1]);
  rewrite_.add(values[2]);
  read_.add(values[3]);
}

std::vector<std::string> BEffIo::notes() const {
  std::vector<std::string> notes = notes_;
  const auto add = [&](const std::string& why) { notes.push_back("not comparable with published b_eff_io: " + why); };
  const double definition_s = static_cast<double>(io_definition_s) * (*release_ == 1 ? 1 : 2);
  if (*calls_ > 0) {
    add("--calls was given");
  } else if (time_->seconds() < definition_s) {
    add(fmt::format("{} is less than the {:.0f} min of the definition", units::spell(*time_), definition_s / 60));
  }
  if (!complete()) add("--types leaves out pattern types, so there is no b_eff_io value");
  if (limit_->value > 0) add("--limit was given");
  if (*no_shared_) add("--no-shared was given");
  if (contents_.checks_all_bytes()) add("contents were verified, which slows down reading");
  return notes;
}

namespace {

const RegisterMotif<BEffIo> registered{"b_eff_io", Family::suite,
                                       "the effective I/O bandwidth benchmark: one number for a file system",
                                       "Rabenseifner and Koniges, section 5"};

}  // namespace
}  // namespace stressbench::beff
