// b_eff_io: measurement of the pattern types, pattern by pattern, and the resulting values.
#include "core/progress.hpp"
#include "io/refusal.hpp"
#include "suites/b_eff_io/b_eff_io.hpp"

namespace stressbench::beff {

void BEffIo::measure_type(Partition& partition, IoAccess access, IoType type, Recorder& recorder) {
  const mpi::Group& group = partition.group;
  std::vector<Row> rows;
  for (const IoPattern& pattern : patterns_) {
    if (pattern.type != type) continue;
    Row& row = rows.emplace_back();
    row.pattern = &pattern;
    row.region = &partition.region[static_cast<std::size_t>(pattern.number)];
    row.access = access;
  }
  if (in_segments(type) && access == IoAccess::write) lay_out_segments(partition);
  position_ = 0;
  shared_at_ = 0;
  group.barrier();
  const std::int64_t checked_ns = checking_ns_;
  const std::int64_t start_ns = recorder.now_ns();
  IoFile file(type == IoType::separate ? MPI_COMM_SELF : group.handle(), name_of(partition, type),
              access == IoAccess::read ? io::Access::read : io::Access::write, hints_.handle());
  for (Row& row : rows) measure_pattern(file, partition, row, recorder);
  if (access == IoAccess::write && hints_.any() && own_.rank() == 0 && notes_.empty()) {
    MPI_Info used = MPI_INFO_NULL;
    mpi::check(MPI_File_get_info(file.handle(), &used), "MPI_File_get_info");
    notes_ = hints_.became(mpi::Info::adopt(used));
  }
  file.close();
  IoMeasured whole;
  whole.time_s = static_cast<double>(recorder.now_ns() - start_ns - (checking_ns_ - checked_ns)) * 1e-9;

  if (access == IoAccess::write) {
    const std::int64_t end = in_segments(type) ? partition.segment_bytes * partition.ranks : position_;
    if (type == IoType::separate || group.rank() == 0) io::must_hold("MPI_File_close", file.path(), end);
  }
  reduce(partition, rows, whole);
  if (access == IoAccess::write) {
    for (const Row& row : rows) partition.written[static_cast<std::size_t>(row.pattern->number)] = row.measured.calls;
  }
  partition.bytes_per_s[static_cast<std::size_t>(index_of(access))][static_cast<std::size_t>(index_of(type))] =
      static_cast<double>(whole.bytes) / whole.time_s;
  std::string text;
  for (const Row& row : rows) text += as_json_line(partition.index, access, *row.pattern, row.measured);
  record(text + file_as_json_line(partition.index, access, type, whole));
}

// Reduces calls and bytes to sums over the ranks, and times to maxima.
void BEffIo::reduce(const Partition& partition, std::vector<Row>& rows, IoMeasured& whole) const {
  std::vector<std::int64_t> sums;
  std::vector<double> times;
  for (const Row& row : rows) {
    sums.insert(sums.end(), {row.measured.calls, row.measured.bytes, row.measured.again ? 1 : 0});
    times.push_back(row.measured.time_s);
  }
  times.push_back(whole.time_s);
  const MPI_Comm all = partition.group.handle();
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_INT64_T, MPI_SUM, all),
             "MPI_Allreduce");
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, times.data(), static_cast<int>(times.size()), MPI_DOUBLE, MPI_MAX, all),
             "MPI_Allreduce");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].measured = {sums[3 * i], sums[3 * i + 1], times[i], sums[3 * i + 2] > 0};
    whole.bytes += rows[i].measured.bytes;
    whole.calls += rows[i].measured.calls;
  }
  whole.time_s = std::max(times.back(), 1e-9);
}

void BEffIo::measure_pattern(IoFile& file, Partition& partition, Row& row, Recorder& recorder) {
  const IoPattern& pattern = *row.pattern;
  FileRegion& region = *row.region;
  const bool first = row.access == IoAccess::write;
  const double elapsed_s = static_cast<double>(recorder.now_ns() - schedule_ns_ - checking_ns_) * 1e-9;
  row.budget_s = shares_.take(elapsed_s, pattern.units);
  if (first) region = {.base = position_};
  row.capacity = first ? room_for(partition, pattern) : region.calls;
  seek_to(file, partition, pattern, region);
  const std::int64_t checked_ns = checking_ns_;
  const std::int64_t begin_ns = recorder.now_ns();
  std::int64_t calls = 0;
  // A pattern without time units is one call; when it is written and fills the rest of a segment, as many as needed.
  std::int64_t batch = pattern.fills && first ? row.capacity : std::min<std::int64_t>(1, row.capacity);
  if (*calls_ > 0 && pattern.units > 0) batch = row.capacity;
  while (batch > 0) {
    for (std::int64_t i = 0; i < batch; ++i, ++calls) {
      const std::int64_t call = first ? calls : calls % row.capacity;
      if (calls > 0 && call == 0) {
        row.measured.again = true;
        if (pattern.type == IoType::scatter) file.seek(0);
        if (pattern.type != IoType::scatter) seek_to(file, partition, pattern, region);
      }
      transfer(file, partition, row, call, recorder);
      row.measured.bytes += bytes_of_call(partition, pattern, region, call);
    }
    progress::advance();
    if (pattern.units == 0 || *calls_ > 0) break;
    batch = next_batch(partition, row, begin_ns + checking_ns_ - checked_ns, calls, recorder);
    if (first) batch = std::min(batch, row.capacity - calls);
  }
  row.measured.calls = calls;
  if (row.access != IoAccess::read) {
    const std::int64_t sync_ns = recorder.now_ns();
    file.sync();
    if (row.measured.bytes > 0)
      sync_s_per_byte_ =
          static_cast<double>(recorder.now_ns() - sync_ns) * 1e-9 / static_cast<double>(row.measured.bytes);
  }
  row.measured.time_s = static_cast<double>(recorder.now_ns() - begin_ns - (checking_ns_ - checked_ns)) * 1e-9;
  progress::advance();
  if (!first) return;
  region.calls = calls;
  const bool shared_file = pattern.type == IoType::scatter || pattern.type == IoType::shared;
  position_ += row.measured.bytes * (shared_file ? partition.ranks : 1);
}

// The result is the same on all ranks of a collective pattern.
std::int64_t BEffIo::next_batch(const Partition& partition, const Row& row, std::int64_t begin_ns, std::int64_t calls,
                                Recorder& recorder) const {
  const double time_s = static_cast<double>(recorder.now_ns() - begin_ns) * 1e-9;
  const double sync_s = row.access == IoAccess::read ? 0 : sync_s_per_byte_ * static_cast<double>(row.measured.bytes);
  // The time of the calls including their sync, and its excess over the budget. Both are maxima over the ranks, since
  // each rank has its own budget.
  std::array<double, 2> latest{time_s + sync_s, time_s + sync_s - row.budget_s};
  if (collective(row.pattern->type))
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, latest.data(), 2, MPI_DOUBLE, MPI_MAX, partition.group.handle()),
               "MPI_Allreduce");
  return next_calls(calls, latest[0], -latest[1]);
}

double BEffIo::of_access(const Partition& partition, IoAccess access) const {
  const auto& of_types = partition.bytes_per_s[static_cast<std::size_t>(index_of(access))];
  return *release_ == 2 && access == IoAccess::rewrite ? of_types[0] : over_types(of_types);
}

double BEffIo::value_of(const Partition& partition) const {
  return over_accesses(of_access(partition, IoAccess::write), of_access(partition, IoAccess::rewrite),
                       of_access(partition, IoAccess::read));
}

// The best partition as known on rank 0, which is in all partitions.
const Partition& BEffIo::best() const {
  return *std::ranges::max_element(parts_, {}, [this](const Partition& one) { return value_of(one); });
}
}  // namespace stressbench::beff
