// b_eff_io: the effective bandwidth of a machine's file system as one number (Rabenseifner and Koniges, section 5;
// docs/motifs/b_eff_io.md).
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/buffer.hpp"
#include "core/payload.hpp"
#include "core/progress.hpp"
#include "io/appended_file.hpp"
#include "io/hints.hpp"
#include "io/layout.hpp"
#include "io/owned_files.hpp"
#include "io/refusal.hpp"
#include "motifs/motif.hpp"
#include "suites/b_eff_io/io_file.hpp"
#include "suites/b_eff_io/io_protocol.hpp"
#include "suites/b_eff_io/io_rule.hpp"
#include "suites/memory_share.hpp"
#include "suites/protocol.hpp"
#include "suites/rules.hpp"

namespace stressbench {
namespace {

using beff::collective;
using beff::in_segments;
using beff::index_of;
using beff::IoAccess;
using beff::IoCall;
using beff::IoFile;
using beff::IoMeasured;
using beff::IoPattern;
using beff::IoType;

constexpr std::int64_t definition_s = 15 * 60;
constexpr std::int64_t shared_files = 4;  // of a partition: types 0, 1, 3 and 4
constexpr std::size_t mark_bytes = sizeof(std::uint64_t);

struct PartOfDefinition {
  static constexpr std::string_view words = "1 or 2";
  static bool holds(std::int64_t v) noexcept { return v == 1 || v == 2; }
};

// Where a rank's data of one pattern lies: in the file, in its own, or in its segment; how many of its calls made it.
struct FileRegion {
  std::int64_t base = 0;
  std::int64_t calls = 0;
};

// Ranks that measure together, from the first on, and what they have measured.
struct Partition {
  int index = 0;
  int ranks = 0;
  mpi::Group group;  // none on other ranks
  std::vector<FileRegion> region;
  std::vector<std::int64_t> written;  // calls of all ranks, by pattern
  std::int64_t segment_bytes = 0;
  std::array<std::array<double, beff::io_types>, 3> bytes_per_s{};  // by access and type
};

class BEffIo final : public Motif {
 public:
  void check(int ranks) const override;
  Traffic traffic(int ranks) const override;
  std::string quantity() const override { return "time of the benchmark"; }

  void bind(const RunContext& place) override { run_ = {place.run_id, place.launch}; }
  void decompose(const mpi::Group& group, const Draw& draws) override;
  void prepare(std::uint64_t execution) override;
  void perform(Recorder& recorder) override;
  void reduce_metrics() override;
  std::span<Metric* const> measured() const override {
    const auto all = metrics();
    return complete() ? all : all.last(1);
  }

  void fill_payload(std::uint64_t pass) override {
    fill(pass);
    thorough_ = true;
  }
  void verify(std::uint64_t) const override {
    if (wrong_) throw MachineFault(*wrong_);
    if (reads_ == 0) throw MachineFault("b_eff_io: nothing was read since buffers were filled");
  }

  void finish(const mpi::Group& group, int) override {
    if (!owned_) return;
    for (std::string& text : owned_->notes()) notes_.push_back(std::move(text));
    owned_->release(group);
  }
  std::vector<std::string> notes() const override;

 private:
  // One way through a pattern: what was asked for, and what has come of it on this rank.
  struct Row {
    const IoPattern* pattern = nullptr;
    FileRegion* region = nullptr;
    IoAccess access = IoAccess::write;
    double budget_s = 0;
    std::int64_t capacity = 0;  // calls: all that there is room for, or that there are
    IoMeasured measured;
  };

  std::vector<int> partition_sizes(int ranks) const {
    std::vector<int> sizes;
    if (partitions_.was_given()) {
      for (const std::int64_t size : *partitions_) sizes.push_back(static_cast<int>(size));
      return sizes;
    }
    for (int size = ranks; size >= 1 && sizes.size() < (*release_ == 2 ? 3U : 1U); size /= 2) sizes.push_back(size);
    return sizes;
  }
  bool has(IoType type) const { return std::ranges::find(*types_, std::int64_t{index_of(type)}) != types_->end(); }
  bool complete() const {
    for (int type = 0; type < beff::io_types; ++type) {
      if (!has(static_cast<IoType>(type))) return false;
    }
    return true;
  }
  // Release 2.0 rewrites by scattering only.
  bool does(IoAccess access, IoType type) const {
    return has(type) && !(*release_ == 2 && access == IoAccess::rewrite && type != IoType::scatter);
  }
  int units_of(IoAccess access) const {
    int units = 0;
    for (const IoPattern& pattern : patterns_) units += does(access, pattern.type) ? pattern.units : 0;
    return units;
  }
  std::int64_t mpart() const {
    if (mpart_.was_given()) return mpart_->value;
    return beff::io_chunk_of_memory(memory_bytes_);
  }
  io::Layout layout() const;
  std::string name_of(const Partition& partition, IoType type) const;
  void fill(std::uint64_t pass);

  void measure(Partition& partition, IoAccess access, Recorder& recorder);
  void measure_type(Partition& partition, IoAccess access, IoType type, Recorder& recorder);
  void measure_pattern(IoFile& file, Partition& partition, Row& row, Recorder& recorder);
  std::int64_t room_for(const Partition& partition, const IoPattern& pattern) const;
  std::int64_t repeats_in_segment(const Partition& partition, const IoPattern& pattern) const;
  void lay_segments(Partition& partition);
  std::int64_t next_batch(const Partition& partition, const Row& row, std::int64_t begin_ns, std::int64_t calls,
                          Recorder& recorder) const;
  std::int64_t bytes_of_call(const Partition& partition, const IoPattern& pattern, const FileRegion& region,
                             std::int64_t call) const;
  void aim(IoFile& file, const Partition& partition, const IoPattern& pattern, const FileRegion& region);
  void transfer(IoFile& file, const Partition& partition, const Row& row, std::int64_t call, Recorder& recorder);
  void look_at(const IoFile& file, const Row& row, std::int64_t call, std::span<const std::byte> bytes);
  void reduce(const Partition& partition, std::vector<Row>& rows, IoMeasured& whole) const;
  void keep(const std::string& text) const;
  void wait_for_all() const;
  double value_of(const Partition& partition) const;
  const Partition& best() const;
  double of_access(const Partition& partition, IoAccess access) const;

  Param<Nanoseconds> time_{this,
                           'T',
                           "time",
                           Nanoseconds{definition_s * 1'000'000'000},
                           "for a partition (release 2: for all), at least 15 min by the definition",
                           Positive{}};
  Param<std::string> path_{this, 'f', "file", "b_eff_io", "what the names of its files begin with", NotEmpty{}};
  Param<std::vector<std::int64_t>> partitions_{
      this, '\0', "partitions", {}, "ranks of each partition (default: all; release 2: all, a half, a quarter)"};
  Param<std::int64_t> release_{this,
                               '\0',
                               "release",
                               1,
                               "1: a partition after the other; 2: all write, all rewrite (scattering only), all read",
                               PartOfDefinition{}};
  Param<std::vector<std::int64_t>> types_{this, '\0', "types", {0, 1, 2, 3, 4}, "which of the pattern types"};
  Param<bool> no_shared_{this, '\0', "no-shared", "type 1 by calls with offsets in place of shared file pointers"};
  Param<Bytes> memory_{this, '\0', "memory", Bytes{0},
                       "memory a rank, whose 128th, 2 MiB at least, is the longest chunk (default: found)"};
  Param<Bytes> mpart_{this, '\0', "mpart", Bytes{0}, "the longest chunk itself, in place of --memory", FitsMessage{}};
  Param<Bytes> limit_{this, '\0', "limit", Bytes{0}, "most bytes that its files may take, about; 0: what time allows"};
  Param<std::int64_t> calls_{
      this, '\0', "calls", 0, "calls of a rank in each pattern, in place of --time", beff::NotNegative{}};
  io::Hints hints_{*this};
  Param<bool> keep_{this, '\0', "keep", "leave the files when the motif ends"};
  Param<bool> overwrite_{this, '\0', "overwrite", "files that are there already are replaced"};
  Param<std::string> protocol_file_{
      this,      '\0', "protocol", "", "write what each pattern gave to this file, as lines of JSON; it must be new",
      NotEmpty{}};

  Metric number_{this, "b_eff_io_bytes_per_s", Better::higher, "the effective I/O bandwidth of the best partition"};
  Metric write_{this, "write_bytes_per_s", Better::higher, "that of initial writing, in that partition"};
  Metric rewrite_{this, "rewrite_bytes_per_s", Better::higher, "that of rewriting"};
  Metric read_{this, "read_bytes_per_s", Better::higher, "that of reading"};
  Metric used_{this, "scheduled_time_share", Better::lower, "time that it took / time that was scheduled"};

  io::Run run_;
  mpi::Group own_;
  std::int64_t memory_bytes_ = 0;
  std::vector<IoPattern> patterns_;
  std::vector<Partition> parts_;
  std::optional<io::OwnedFiles> owned_;
  std::optional<io::AppendedFile> kept_;
  Buffer out_;
  Buffer in_;
  std::uint64_t pass_ = 0;
  bool thorough_ = false;  // every byte is looked at, since --verify was given
  std::optional<std::string> wrong_;
  std::int64_t reads_ = 0;
  std::int64_t looking_ns_ = 0;  // spent on looking at bytes: no part of any time
  beff::TimeShares shares_;
  std::int64_t schedule_ns_ = 0;  // its begin
  std::int64_t position_ = 0;     // where the next pattern's data begins, while it is written for the first time
  std::int64_t shared_at_ = 0;    // the shared pointer's place
  double sync_s_per_byte_ = 0;    // of the last sync
  double elapsed_s_ = 0;
  int execution_ = -1;
  mutable std::vector<std::string> notes_;
};

void BEffIo::check(int ranks) const {
  hints_.check();
  if (iterations() != 1)
    throw ParameterMistake("iterations", fmt::format("--iterations: {} of them would add up their numbers; use 1 and "
                                                     "more repetitions",
                                                     iterations()));
  for (const int size : partition_sizes(ranks)) {
    if (size < 1 || size > ranks)
      throw ParameterMistake("partitions", fmt::format("--partitions: {}: expected 1 to {} ranks", size, ranks));
  }
  for (const std::int64_t type : *types_) {
    if (type < 0 || type >= beff::io_types || std::ranges::count(*types_, type) > 1)
      throw ParameterMistake("types", fmt::format("--types: {}: expected numbers from 0 to 4, each once", type));
  }
  if (!has(IoType::scatter) && !has(IoType::shared) && !has(IoType::separate))
    throw ParameterMistake("types", "--types: how long segments are follows from types 0 to 2; name one of them too");
  if (mpart_.was_given() && (mpart_->value < beff::io_mb || mpart_->value % 8 != 0))
    throw ParameterMistake("mpart",
                           fmt::format("--mpart: {}: expected 1 MiB or more, in multiples of 8 bytes", mpart_->value));
}

// With --calls and --mpart, what is written and read; else it follows from times and memory.
Traffic BEffIo::traffic(int ranks) const {
  Traffic traffic;
  if (*calls_ == 0) return traffic;
  const auto repeats = [&](const IoPattern& pattern) { return pattern.units > 0 ? *calls_ : 1; };
  const std::vector<IoPattern> patterns = beff::io_patterns(mpart_.was_given() ? mpart_->value : 2 * beff::io_mb);
  std::int64_t in_segment = 0;
  for (const IoPattern& pattern : patterns) {
    if (pattern.type == IoType::segmented && !pattern.fills) in_segment += repeats(pattern) * pattern.chunk_bytes;
  }
  const std::int64_t rest = beff::segment_bytes(in_segment) - in_segment;
  for (const int size : partition_sizes(ranks)) {
    for (const IoPattern& pattern : patterns) {
      for (const IoAccess access : beff::io_accesses) {
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

io::Layout BEffIo::layout() const {
  io::Layout layout;
  for (const Partition& partition : parts_) layout.files += shared_files + partition.ranks;
  return layout;
}

std::string BEffIo::name_of(const Partition& partition, IoType type) const {
  std::int64_t first = 0;
  for (int before = 0; before < partition.index; ++before)
    first += shared_files + parts_[static_cast<std::size_t>(before)].ranks;
  if (type == IoType::separate) return io::file_name(*path_, first + shared_files + own_.rank());
  return io::file_name(*path_, first + index_of(type) - (type > IoType::separate ? 1 : 0));
}

// Bytes tell whose they are; the first eight of a call, which pattern and call it was.
void BEffIo::fill(std::uint64_t pass) {
  pass_ = pass;
  payload::fill({out_.data(), out_.size()}, {.sender = own_.rank(), .receiver = own_.rank(), .pass = pass});
}

void BEffIo::decompose(const mpi::Group& group, const Draw&) {
  own_ = group.duplicate();
  if (protocol_file_.was_given()) kept_.emplace(group, "protocol", *protocol_file_, run_);
  if (!mpart_.was_given()) memory_bytes_ = memory_.was_given() ? memory_->value : memory_per_rank(group).value;
  patterns_ = beff::io_patterns(mpart());
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

// Writing is initial only where there is no file.
void BEffIo::prepare(std::uint64_t execution) {
  execution_ = static_cast<int>(execution);
  io::remove_share(*path_, layout(), {own_.rank(), own_.size()});
  own_.barrier();
}

void BEffIo::perform(Recorder& recorder) {
  wrong_.reset();
  reads_ = 0;
  looking_ns_ = 0;
  sync_s_per_byte_ = 0;
  beff::IoHead head;
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
  keep(as_json_line(head));

  const std::int64_t start_ns = recorder.now_ns();
  int units = 0;
  for (const IoAccess access : beff::io_accesses) units += units_of(access);
  const auto schedule = [&](int partitions) {
    schedule_ns_ = recorder.now_ns();
    shares_ = beff::TimeShares(time_->seconds(), units * partitions);
  };
  if (*release_ == 1) {
    for (Partition& partition : parts_) {
      schedule(1);
      for (const IoAccess access : beff::io_accesses) measure(partition, access, recorder);
    }
  } else {
    schedule(static_cast<int>(parts_.size()));
    for (const IoAccess access : beff::io_accesses) {
      for (Partition& partition : parts_) measure(partition, access, recorder);
    }
  }
  elapsed_s_ = static_cast<double>(recorder.now_ns() - start_ns - looking_ns_) * 1e-9;
  keep(beff::end_as_json_line(complete() ? std::optional(value_of(best())) : std::nullopt, elapsed_s_));
}

// Rank 0, which is in all partitions.
void BEffIo::keep(const std::string& text) const {
  if (own_.rank() == 0 && kept_) kept_->append(text);
}

// Those of other partitions wait asleep, so that they take no processor from who measures.
void BEffIo::wait_for_all() const {
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::must(MPI_Ibarrier(own_.handle(), &request), "MPI_Ibarrier");
  for (int done = 0; !done;) {
    mpi::must(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (!done) sleep_for(1'000'000);
    progress::moved();
  }
}

void BEffIo::measure(Partition& partition, IoAccess access, Recorder& recorder) {
  if (partition.group) {
    for (int type = 0; type < beff::io_types; ++type) {
      if (does(access, static_cast<IoType>(type))) measure_type(partition, access, static_cast<IoType>(type), recorder);
    }
  } else {
    shares_.take(0, units_of(access));
  }
  if (parts_.size() > 1) wait_for_all();
}

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
  if (in_segments(type) && access == IoAccess::write) lay_segments(partition);
  position_ = 0;
  shared_at_ = 0;
  group.barrier();
  const std::int64_t looked_ns = looking_ns_;
  const std::int64_t start_ns = recorder.now_ns();
  IoFile file(type == IoType::separate ? MPI_COMM_SELF : group.handle(), name_of(partition, type),
              access == IoAccess::read ? io::Access::read : io::Access::write, hints_.handle());
  for (Row& row : rows) measure_pattern(file, partition, row, recorder);
  if (access == IoAccess::write && hints_.any() && own_.rank() == 0 && notes_.empty()) {
    MPI_Info used = MPI_INFO_NULL;
    mpi::must(MPI_File_get_info(file.handle(), &used), "MPI_File_get_info");
    notes_ = hints_.became(mpi::Info::adopt(used));
  }
  file.close();
  IoMeasured whole;
  whole.time_s = static_cast<double>(recorder.now_ns() - start_ns - (looking_ns_ - looked_ns)) * 1e-9;

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
  keep(text + file_as_json_line(partition.index, access, type, whole));
}

// Sums over the ranks, and the longest times.
void BEffIo::reduce(const Partition& partition, std::vector<Row>& rows, IoMeasured& whole) const {
  std::vector<std::int64_t> sums;
  std::vector<double> times;
  for (const Row& row : rows) {
    sums.insert(sums.end(), {row.measured.calls, row.measured.bytes, row.measured.again ? 1 : 0});
    times.push_back(row.measured.time_s);
  }
  times.push_back(whole.time_s);
  const MPI_Comm all = partition.group.handle();
  mpi::must(MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_INT64_T, MPI_SUM, all),
            "MPI_Allreduce");
  mpi::must(MPI_Allreduce(MPI_IN_PLACE, times.data(), static_cast<int>(times.size()), MPI_DOUBLE, MPI_MAX, all),
            "MPI_Allreduce");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].measured = {sums[3 * i], sums[3 * i + 1], times[i], sums[3 * i + 2] > 0};
    whole.bytes += rows[i].measured.bytes;
    whole.calls += rows[i].measured.calls;
  }
  whole.time_s = std::max(times.back(), 1e-9);
}

// Calls of a rank for which there is room when a pattern is written for the first time.
std::int64_t BEffIo::room_for(const Partition& partition, const IoPattern& pattern) const {
  if (pattern.fills) {
    const std::int64_t rest = partition.segment_bytes - position_;
    return (rest + pattern.chunk_bytes - 1) / pattern.chunk_bytes;
  }
  if (pattern.units == 0) return 1;
  if (*calls_ > 0) return *calls_;
  if (in_segments(pattern.type)) return repeats_in_segment(partition, pattern);
  if (limit_->value == 0) return std::numeric_limits<std::int32_t>::max();
  const double share =
      static_cast<double>(pattern.units) / units_of(IoAccess::write) / static_cast<double>(parts_.size());
  const double of_call = static_cast<double>(pattern.memory_bytes) * partition.ranks;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(limit_->value) * share / of_call));
}

// As often as a rank wrote this chunk in the same time to a file of its own; where that was not measured, in the first
// other type that was. Chunks are the same in the same order in types 1 to 4, and differ in place in type 0.
std::int64_t BEffIo::repeats_in_segment(const Partition& partition, const IoPattern& pattern) const {
  if (pattern.units == 0) return 1;
  if (*calls_ > 0) return *calls_;
  for (const IoType type : {IoType::separate, IoType::shared, IoType::scatter}) {
    if (!has(type)) continue;
    for (const IoPattern& known : patterns_) {
      if (known.type != type || known.units == 0 || known.chunk_bytes != pattern.chunk_bytes) continue;
      const auto calls = static_cast<double>(partition.written[static_cast<std::size_t>(known.number)]);
      const double chunks = calls * static_cast<double>(known.memory_bytes / known.chunk_bytes) / partition.ranks;
      return std::max<std::int64_t>(1, static_cast<std::int64_t>(chunks * pattern.units / known.units));
    }
  }
  return 1;
}

void BEffIo::lay_segments(Partition& partition) {
  std::int64_t sum = 0;
  for (const IoPattern& pattern : patterns_) {
    if (pattern.type == IoType::segmented && !pattern.fills)
      sum += repeats_in_segment(partition, pattern) * pattern.chunk_bytes;
  }
  partition.segment_bytes = beff::segment_bytes(sum);
}

std::int64_t BEffIo::bytes_of_call(const Partition& partition, const IoPattern& pattern, const FileRegion& region,
                                   std::int64_t call) const {
  if (!pattern.fills) return pattern.memory_bytes;
  return std::min(pattern.chunk_bytes, partition.segment_bytes - region.base - call * pattern.chunk_bytes);
}

// To the first byte of a pattern's data.
void BEffIo::aim(IoFile& file, const Partition& partition, const IoPattern& pattern, const FileRegion& region) {
  const int rank = partition.group.rank();
  switch (pattern.type) {
    case IoType::scatter:
      file.stride(region.base, pattern.chunk_bytes, rank, partition.ranks);
      break;
    case IoType::shared:
      if (!*no_shared_ && shared_at_ != region.base) file.seek_shared(region.base);
      shared_at_ = region.base;
      break;
    case IoType::separate:
      file.seek(region.base);
      break;
    case IoType::segmented:
    case IoType::segmented_collective:
      file.seek(rank * partition.segment_bytes + region.base);
      break;
  }
}

void BEffIo::measure_pattern(IoFile& file, Partition& partition, Row& row, Recorder& recorder) {
  const IoPattern& pattern = *row.pattern;
  FileRegion& region = *row.region;
  const bool first = row.access == IoAccess::write;
  const double elapsed_s = static_cast<double>(recorder.now_ns() - schedule_ns_ - looking_ns_) * 1e-9;
  row.budget_s = shares_.take(elapsed_s, pattern.units);
  if (first) region = {.base = position_};
  row.capacity = first ? room_for(partition, pattern) : region.calls;
  aim(file, partition, pattern, region);
  const std::int64_t looked_ns = looking_ns_;
  const std::int64_t begin_ns = recorder.now_ns();
  std::int64_t calls = 0;
  // A pattern without a time of its own is one call, and where it fills what the segment has left, when written.
  std::int64_t batch = pattern.fills && first ? row.capacity : std::min<std::int64_t>(1, row.capacity);
  if (*calls_ > 0 && pattern.units > 0) batch = row.capacity;
  while (batch > 0) {
    for (std::int64_t i = 0; i < batch; ++i, ++calls) {
      const std::int64_t call = first ? calls : calls % row.capacity;
      if (calls > 0 && call == 0) {
        row.measured.again = true;
        if (pattern.type == IoType::scatter) file.seek(0);
        if (pattern.type != IoType::scatter) aim(file, partition, pattern, region);
      }
      transfer(file, partition, row, call, recorder);
      row.measured.bytes += bytes_of_call(partition, pattern, region, call);
    }
    progress::moved();
    if (pattern.units == 0 || *calls_ > 0) break;
    batch = next_batch(partition, row, begin_ns + looking_ns_ - looked_ns, calls, recorder);
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
  row.measured.time_s = static_cast<double>(recorder.now_ns() - begin_ns - (looking_ns_ - looked_ns)) * 1e-9;
  progress::moved();
  if (!first) return;
  region.calls = calls;
  const bool together = pattern.type == IoType::scatter || pattern.type == IoType::shared;
  position_ += row.measured.bytes * (together ? partition.ranks : 1);
}

// All ranks of a collective pattern find the same.
std::int64_t BEffIo::next_batch(const Partition& partition, const Row& row, std::int64_t begin_ns, std::int64_t calls,
                                Recorder& recorder) const {
  const double time_s = static_cast<double>(recorder.now_ns() - begin_ns) * 1e-9;
  const double sync_s = row.access == IoAccess::read ? 0 : sync_s_per_byte_ * static_cast<double>(row.measured.bytes);
  // What calls cost, with what it takes to sync them, and by how much that is over: both of the slowest rank, since
  // each has its own budget.
  std::array<double, 2> latest{time_s + sync_s, time_s + sync_s - row.budget_s};
  if (collective(row.pattern->type))
    mpi::must(MPI_Allreduce(MPI_IN_PLACE, latest.data(), 2, MPI_DOUBLE, MPI_MAX, partition.group.handle()),
              "MPI_Allreduce");
  return beff::next_calls(calls, latest[0], -latest[1]);
}

void BEffIo::transfer(IoFile& file, const Partition& partition, const Row& row, std::int64_t call, Recorder& recorder) {
  const IoPattern& pattern = *row.pattern;
  const auto length = static_cast<std::size_t>(bytes_of_call(partition, pattern, *row.region, call));
  IoCall how = collective(pattern.type) ? IoCall::own_all : IoCall::own;
  std::int64_t offset = 0;
  if (pattern.type == IoType::shared) {
    how = *no_shared_ ? IoCall::at_all : IoCall::ordered;
    offset = row.region->base + (call * partition.ranks + partition.group.rank()) * pattern.chunk_bytes;
    shared_at_ = row.region->base + (call + 1) * partition.ranks * pattern.chunk_bytes;
  }
  const std::uint64_t mark = static_cast<std::uint64_t>(pattern.number) << 48U | static_cast<std::uint64_t>(call);
  if (row.access != IoAccess::read) {
    std::memcpy(out_.data(), &mark, mark_bytes);
    file.write(how, offset, {out_.data(), length});
    return;
  }
  const std::span<std::byte> bytes{in_.data(), length};
  const payload::Origin origin{.sender = own_.rank(), .receiver = own_.rank(), .pass = pass_};
  payload::poison(thorough_ ? bytes : bytes.last(mark_bytes), origin);
  std::memset(bytes.data(), 0xff, mark_bytes);
  file.read(how, offset, bytes);
  const std::int64_t begin_ns = thorough_ ? recorder.now_ns() : 0;
  look_at(file, row, call, bytes);
  if (thorough_) looking_ns_ += recorder.now_ns() - begin_ns;
}

// What is wrong is told when all is done: who left in the middle would leave the others waiting.
void BEffIo::look_at(const IoFile& file, const Row& row, std::int64_t call, std::span<const std::byte> bytes) {
  ++reads_;
  if (wrong_) return;
  const std::uint64_t mark = static_cast<std::uint64_t>(row.pattern->number) << 48U | static_cast<std::uint64_t>(call);
  const payload::Origin origin{.sender = own_.rank(), .receiver = own_.rank(), .pass = pass_};
  const std::size_t from = thorough_ ? mark_bytes : bytes.size() - mark_bytes;
  std::optional<std::size_t> wrong = payload::first_wrong(bytes.subspan(from), origin, from);
  if (wrong) *wrong += from;
  if (std::memcmp(bytes.data(), &mark, mark_bytes) != 0) wrong = 0;
  if (wrong)
    wrong_ = fmt::format("b_eff_io: '{}': pattern {}, call {}: byte {} is not what rank {} wrote there", file.path(),
                         row.pattern->number, call, *wrong, own_.rank());
}

double BEffIo::of_access(const Partition& partition, IoAccess access) const {
  const auto& of_types = partition.bytes_per_s[static_cast<std::size_t>(index_of(access))];
  return *release_ == 2 && access == IoAccess::rewrite ? of_types[0] : beff::over_types(of_types);
}

double BEffIo::value_of(const Partition& partition) const {
  return beff::over_accesses(of_access(partition, IoAccess::write), of_access(partition, IoAccess::rewrite),
                             of_access(partition, IoAccess::read));
}

// As rank 0 has it, which is in all of them.
const Partition& BEffIo::best() const {
  return *std::ranges::max_element(parts_, {}, [this](const Partition& one) { return value_of(one); });
}

void BEffIo::reduce_metrics() {
  if (!thorough_ && wrong_) throw MachineFault(*wrong_);
  const double scheduled_s = time_->seconds() * (*release_ == 1 ? static_cast<double>(parts_.size()) : 1);
  used_.add(elapsed_s_ / scheduled_s);
  if (!complete()) return;
  const Partition& part = best();
  std::array<double, 4> values{value_of(part), of_access(part, IoAccess::write), of_access(part, IoAccess::rewrite),
                               of_access(part, IoAccess::read)};
  mpi::must(MPI_Bcast(values.data(), 4, MPI_DOUBLE, 0, own_.handle()), "MPI_Bcast");
  number_.add(values[0]);
  write_.add(values[1]);
  rewrite_.add(values[2]);
  read_.add(values[3]);
}

std::vector<std::string> BEffIo::notes() const {
  std::vector<std::string> found = notes_;
  const auto add = [&](const std::string& why) { found.push_back("not comparable with published b_eff_io: " + why); };
  const double needed_s = static_cast<double>(definition_s) * (*release_ == 1 ? 1 : 2);
  if (*calls_ > 0) {
    add("--calls was given");
  } else if (time_->seconds() < needed_s) {
    add(fmt::format("{} is less than the {:.0f} min of the definition", units::spell(*time_), needed_s / 60));
  }
  if (!complete()) add("--types leaves out some, and there is no number");
  if (limit_->value > 0) add("--limit was given");
  if (*no_shared_) add("--no-shared was given");
  if (thorough_) add("bytes were verified; reading is slower");
  return found;
}

const RegisterMotif<BEffIo> registered{"b_eff_io", Family::suite,
                                       "the effective I/O bandwidth benchmark: one number for a file system",
                                       "Rabenseifner and Koniges, section 5"};

}  // namespace
}  // namespace stressbench
