#include "suites/b_eff_io/b_eff_io.hpp"

#include <fmt/format.h>

#include "core/progress.hpp"

namespace stressbench::beff {
namespace {

constexpr std::int64_t idle_ns = 1'000'000;  // sleep of ranks that wait for another partition

}  // namespace

void BEffIo::check(int ranks) const {
  hints_.check();
  for (const PatternHint& one : *pattern_hints_) io::check_length("pattern-hint", one.hint);
  if (iterations() != 1)
    reject("iterations", "the results of {} iterations would be added up; use 1 iteration and more repetitions",
           iterations());
  for (const PartitionChoice& choice : partition_choices(ranks)) {
    const int highest = choice.listed.empty() ? choice.size() - 1 : choice.listed.back();
    if (highest >= ranks)
      reject("partitions", "{}: there are only ranks 0 to {}", Spelling<PartitionChoice>::write(choice), ranks - 1);
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
  for (const PartitionChoice& choice : partition_choices(ranks)) {
    for (const IoPattern& pattern : patterns) {
      for (const IoAccess access : io_accesses) {
        if (!measures(access, pattern.type)) continue;
        const std::int64_t rank_bytes = pattern.fills ? segment_rest : calls_of(pattern) * pattern.memory_bytes;
        traffic.file_bytes += choice.size() * rank_bytes;
      }
    }
  }
  return traffic;
}

void BEffIo::decompose(const mpi::Group& group, const Draw& draws) {
  group_ = group.duplicate();
  order_draw_ = draws;
  if (protocol_file_.was_given()) protocol_.emplace(group, "protocol", *protocol_file_, run_);
  node_memory_ = node_memory(group);
  patterns_ = io_patterns(mpart());
  hints_.prepare();
  measured_partitions_ = make_partitions(group_, partition_choices(group.size()), patterns_.size());
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

// Only the writing of a new file is initial.
void BEffIo::prepare(std::uint64_t execution) {
  execution_ = static_cast<int>(execution);
  order_draw_.execution = execution * patterns_.size() * io_accesses.size();
  remove_files();
}

void BEffIo::remove_files() const {
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
  header.random = *random_;
  header.mpart_bytes = mpart();
  header.nodes = node_memory_.nodes;
  if (!mpart_.was_given()) header.node_memory_bytes = memory_.was_given() ? memory_->value : node_memory_.memory.value;
  if (limit_->value > 0) header.limit_bytes = limit_->value;
  for (const Partition& partition : measured_partitions_)
    header.partitions.push_back({partition.name, partition.ranks, partition.nodes});
  for (const std::int64_t type : *types_) header.types.push_back(static_cast<int>(type));
  for (const Hint& hint : hints_.requested()) header.hints.push_back(Spelling<Hint>::write(hint));
  for (const PatternHint& hint : *pattern_hints_) header.pattern_hints.push_back(Spelling<PatternHint>::write(hint));
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
      // There need be space for the files of one partition only.
      if (partition.index > 0 && !*keep_) remove_files();
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

void BEffIo::write_protocol(const std::string& text) const {
  if (group_.rank() == 0 && protocol_) protocol_->append(text);
}

// Takes the lines and the bandwidth of a file to rank 0, which sleeps if it is in another partition.
void BEffIo::publish(Partition& partition, IoAccess access, IoType type, const std::string& text) const {
  constexpr int tag = 0;
  double& bytes_per_s =
      partition.bytes_per_s[static_cast<std::size_t>(index_of(access))][static_cast<std::size_t>(index_of(type))];
  const MPI_Comm all = group_.handle();
  const int rank = group_.rank();
  if (partition.root == 0) return write_protocol(text);
  if (rank == partition.root) {
    mpi::check(MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, tag, all), "MPI_Send");
    mpi::check(MPI_Send(&bytes_per_s, 1, MPI_DOUBLE, 0, tag, all), "MPI_Send");
  } else if (rank == 0) {
    MPI_Status status;
    for (int arrived = 0; !arrived;) {
      mpi::check(MPI_Iprobe(partition.root, tag, all, &arrived, &status), "MPI_Iprobe");
      if (!arrived) sleep_for(idle_ns);
      progress::advance();
    }
    int length = 0;
    mpi::check(MPI_Get_count(&status, MPI_CHAR, &length), "MPI_Get_count");
    std::string lines(static_cast<std::size_t>(length), '\0');
    mpi::check(MPI_Recv(lines.data(), length, MPI_CHAR, partition.root, tag, all, MPI_STATUS_IGNORE), "MPI_Recv");
    mpi::check(MPI_Recv(&bytes_per_s, 1, MPI_DOUBLE, partition.root, tag, all, MPI_STATUS_IGNORE), "MPI_Recv");
    write_protocol(lines);
  }
}

// Ranks of other partitions sleep while they wait, so that they take no CPU time from the measurement.
void BEffIo::sleeping_barrier() const {
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::check(MPI_Ibarrier(group_.handle(), &request), "MPI_Ibarrier");
  for (int done = 0; !done;) {
    mpi::check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (!done) sleep_for(idle_ns);
    progress::advance();
  }
}

void BEffIo::measure(Partition& partition, IoAccess access, Recorder& recorder) {
  for (int number = 0; number < io_types; ++number) {
    const IoType type{number};
    if (!measures(access, type)) continue;
    const std::string lines = partition.group ? measure_type(partition, access, type, recorder) : std::string();
    publish(partition, access, type, lines);
  }
  if (!partition.group) shares_.take_share(0, units_of(access));
  if (measured_partitions_.size() > 1 || partition.ranks < group_.size()) sleeping_barrier();
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
  if (*random_) add("--random was given");
  if (contents_.checks_all_bytes()) add("contents were verified, which slows down reading");
  return notes;
}

namespace {

const RegisterMotif<BEffIo> registered{"b_eff_io", Family::suite,
                                       "the effective I/O bandwidth benchmark: one number for a file system",
                                       "Rabenseifner and Koniges, section 5"};

}  // namespace
}  // namespace stressbench::beff
