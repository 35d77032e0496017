// b_eff_io: measurement of the pattern types, pattern by pattern, and the resulting values.
#include "core/progress.hpp"
#include "io/storage_error.hpp"
#include "suites/b_eff_io/b_eff_io.hpp"

namespace stressbench::beff {

std::string BEffIo::measure_type(Partition& partition, IoAccess access, IoType type, Recorder& recorder) {
  const mpi::Group& group = partition.group;
  std::vector<PatternRun> runs;
  for (const IoPattern& pattern : patterns_) {
    if (pattern.type != type) continue;
    PatternRun& run = runs.emplace_back();
    run.pattern = &pattern;
    run.region = &partition.region[static_cast<std::size_t>(pattern.number)];
    run.access = access;
  }
  if (is_segmented(type) && access == IoAccess::write) set_segment_length(partition);
  next_base_ = 0;
  shared_pointer_ = 0;
  group.barrier();
  const std::int64_t check_time_before_ns = contents_.check_time_ns();
  const std::int64_t start_ns = recorder.now_ns();
  IoFile file(type == IoType::separate ? MPI_COMM_SELF : group.handle(), file_name_of(partition, type),
              access == IoAccess::read ? io::Access::read : io::Access::write, hints_.handle());
  for (PatternRun& run : runs) {
    set_pattern_hints(file, run.pattern->number);
    measure_pattern(file, partition, run, recorder);
  }
  if (access == IoAccess::write && hints_.any() && group_.rank() == 0 && notes_.empty()) {
    MPI_Info used = MPI_INFO_NULL;
    mpi::check(MPI_File_get_info(file.handle(), &used), "MPI_File_get_info");
    notes_ = hints_.effective_notes(mpi::Info::adopt(used));
  }
  file.close();
  IoResult file_result;
  file_result.time_s =
      static_cast<double>(recorder.now_ns() - start_ns - (contents_.check_time_ns() - check_time_before_ns)) * 1e-9;

  if (access == IoAccess::write) {
    const std::int64_t end = is_segmented(type) ? partition.segment_bytes * partition.ranks : next_base_;
    if (type == IoType::separate || group.rank() == 0) io::require_file_length("MPI_File_close", file.path(), end);
  }
  reduce(partition, runs, file_result);
  if (access == IoAccess::write) {
    for (const PatternRun& run : runs)
      partition.written_calls[static_cast<std::size_t>(run.pattern->number)] = run.result.calls;
  }
  partition.bytes_per_s[static_cast<std::size_t>(index_of(access))][static_cast<std::size_t>(index_of(type))] =
      static_cast<double>(file_result.bytes) / file_result.time_s;
  std::string text;
  for (const PatternRun& run : runs) text += as_json_line(partition.index, access, *run.pattern, run.result);
  return text + file_as_json_line(partition.index, access, type, file_result);
}

// Reduces calls and bytes to sums over the ranks, and times to maxima.
void BEffIo::reduce(const Partition& partition, std::vector<PatternRun>& runs, IoResult& file_result) const {
  std::vector<std::int64_t> sums;
  std::vector<double> times;
  for (const PatternRun& run : runs) {
    sums.insert(sums.end(), {run.result.calls, run.result.bytes, run.result.exhausted ? 1 : 0});
    times.push_back(run.result.time_s);
  }
  times.push_back(file_result.time_s);
  const MPI_Comm all = partition.group.handle();
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_INT64_T, MPI_SUM, all),
             "MPI_Allreduce");
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, times.data(), static_cast<int>(times.size()), MPI_DOUBLE, MPI_MAX, all),
             "MPI_Allreduce");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].result = {sums[3 * i], sums[3 * i + 1], times[i], sums[3 * i + 2] > 0};
    file_result.bytes += runs[i].result.bytes;
    file_result.calls += runs[i].result.calls;
  }
  file_result.time_s = std::max(times.back(), 1e-9);
}

void BEffIo::set_pattern_hints(IoFile& file, int pattern) const {
  mpi::Info hints;
  for (const PatternHint& one : *pattern_hints_) {
    if (one.pattern != pattern) continue;
    if (hints.handle() == MPI_INFO_NULL) hints = mpi::Info::create();
    hints.set(one.hint.key, one.hint.value);
  }
  if (hints.handle() != MPI_INFO_NULL) file.set_hints(hints.handle());
}

void BEffIo::measure_pattern(IoFile& file, Partition& partition, PatternRun& run, Recorder& recorder) {
  const IoPattern& pattern = *run.pattern;
  FileRegion& region = *run.region;
  const bool initial_write = run.access == IoAccess::write;
  const double elapsed_s =
      static_cast<double>(recorder.now_ns() - schedule_start_ns_ - contents_.check_time_ns()) * 1e-9;
  run.budget_s = shares_.take_share(elapsed_s, pattern.units);
  if (initial_write) region = {.base = next_base_};
  run.max_calls = initial_write ? max_calls(partition, pattern) : region.calls;
  if (*random_ && !initial_write && run.max_calls > 0) run.order = random_order(run);
  seek_to_pattern(file, partition, run);
  const std::int64_t check_time_before_ns = contents_.check_time_ns();
  const std::int64_t start_ns = recorder.now_ns();
  const bool counted = is_counted(pattern);
  std::int64_t calls = 0;
  std::int64_t batch = counted ? run.max_calls : std::min<std::int64_t>(1, run.max_calls);
  while (batch > 0) {
    for (; batch > 0; --batch, ++calls) {
      transfer(file, partition, run, calls, recorder);
      run.result.bytes += call_bytes(partition, pattern, region);
      progress::advance();
    }
    if (counted) break;
    const std::int64_t further =
        next_batch(partition, run, start_ns + contents_.check_time_ns() - check_time_before_ns, calls, recorder);
    batch = std::min(further, run.max_calls - calls);
    run.result.exhausted = !initial_write && batch < further;
  }
  run.result.calls = calls;
  if (run.access != IoAccess::read) {
    const std::int64_t sync_ns = recorder.now_ns();
    file.sync();
    if (run.result.bytes > 0)
      sync_s_per_byte_ =
          static_cast<double>(recorder.now_ns() - sync_ns) * 1e-9 / static_cast<double>(run.result.bytes);
  }
  run.result.time_s =
      static_cast<double>(recorder.now_ns() - start_ns - (contents_.check_time_ns() - check_time_before_ns)) * 1e-9;
  progress::advance();
  if (!initial_write) return;
  region.calls = calls;
  const bool shared_file = pattern.type == IoType::scatter || pattern.type == IoType::shared;
  next_base_ += run.result.bytes * (shared_file ? partition.ranks : 1);
}

// The result is the same on all ranks of a collective pattern.
std::int64_t BEffIo::next_batch(const Partition& partition, const PatternRun& run, std::int64_t start_ns,
                                std::int64_t calls, Recorder& recorder) const {
  const double time_s = static_cast<double>(recorder.now_ns() - start_ns) * 1e-9;
  const double sync_s = run.access == IoAccess::read ? 0 : sync_s_per_byte_ * static_cast<double>(run.result.bytes);
  // The time of the calls including their sync, and its excess over the budget. Both are maxima over the ranks, since
  // each rank has its own budget.
  std::array<double, 2> time_and_excess_s{time_s + sync_s, time_s + sync_s - run.budget_s};
  if (collective(run.pattern->type))
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, time_and_excess_s.data(), 2, MPI_DOUBLE, MPI_MAX, partition.group.handle()),
               "MPI_Allreduce");
  return next_calls(calls, time_and_excess_s[0], -time_and_excess_s[1]);
}

void BEffIo::transfer(IoFile& file, const Partition& partition, const PatternRun& run, std::int64_t turn,
                      Recorder& recorder) {
  const IoPattern& pattern = *run.pattern;
  const std::int64_t number = run.order ? (*run.order)(turn) : turn;
  if (run.order) seek_to(file, partition, run, number);
  const FileContents::Call call{pattern.number, number};
  const auto length = static_cast<std::size_t>(call_bytes(partition, pattern, *run.region));
  IoCall io_call = collective(pattern.type) ? IoCall::own_all : IoCall::own;
  std::int64_t offset = 0;
  if (pattern.type == IoType::shared) {
    io_call = *no_shared_ ? IoCall::at_all : IoCall::ordered;
    offset = run.region->base + (number * partition.ranks + partition.group.rank()) * pattern.chunk_bytes;
    shared_pointer_ = run.region->base + (number + 1) * partition.ranks * pattern.chunk_bytes;
  }
  if (run.access != IoAccess::read) return file.write(io_call, offset, contents_.written_by(call, length));
  const std::span<std::byte> bytes = contents_.destination(length);
  file.read(io_call, offset, bytes);
  contents_.check(call, bytes, file.path(), recorder);
}

double BEffIo::access_bandwidth(const Partition& partition, IoAccess access) const {
  const auto& type_bandwidths = partition.bytes_per_s[static_cast<std::size_t>(index_of(access))];
  return *release_ == 2 && access == IoAccess::rewrite ? type_bandwidths[0] : mean_of_types(type_bandwidths);
}

double BEffIo::b_eff_io_value(const Partition& partition) const {
  return mean_of_accesses(access_bandwidth(partition, IoAccess::write), access_bandwidth(partition, IoAccess::rewrite),
                          access_bandwidth(partition, IoAccess::read));
}

// The best partition as known on rank 0.
const Partition& BEffIo::best() const {
  return *std::ranges::max_element(measured_partitions_, {},
                                   [this](const Partition& one) { return b_eff_io_value(one); });
}
}  // namespace stressbench::beff
