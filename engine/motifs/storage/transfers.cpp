#include "motifs/storage/transfers.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>

#include "core/payload.hpp"
#include "io/page_cache.hpp"
#include "motifs/clock_offset.hpp"

namespace stressbench::io {
namespace {

constexpr std::uint64_t stamp_beforehand = 0;  // of bytes that were there before the first repetition
constexpr std::int64_t most_iterations = 65536;

}  // namespace

Transfers::Transfers(const BackendEntry& backend) : backend_(backend.make(*this)) {
  path_.preset("stressbench-" + backend.name + ".out");
}

AccessRequirements Transfers::requirements() const {
  const Access alone = *work_ == Work::read ? Access::read : Access::write;
  return {.access = *work_ == Work::mixed ? Access::both : alone,
          .even_transfers = *work_ != Work::mixed,
          .any_order = *random_,
          .grows = *work_ == Work::append};
}

void Transfers::check(int ranks) const {
  const auto needs_reads = [&](const Parameter& option) {
    if (option.was_given() && !reads())
      throw ParameterMistake(option.name(),
                             fmt::format("--{}: nothing is read with --do {}", option.name(), work_.text()));
  };
  if (ranks_given_.was_given() && *ranks_given_ != ranks) {
    throw ParameterMistake("ranks", fmt::format("--ranks: {}, but the job has {}", *ranks_given_, ranks));
  }
  if (iterations() > most_iterations) {
    throw ParameterMistake("iterations", fmt::format("--iterations: {}; at most {}, and [REPEAT] or [LOOP] for more",
                                                     iterations(), most_iterations));
  }
  if (drawn_.given()) check_drawn();
  if (size_->value % *segments_ != 0) {
    throw ParameterMistake(
        "segments", fmt::format("--segments: {} do not divide --size {} into equal blocks", *segments_, size_.text()));
  }
  if (!FitsMessage::holds(Bytes{transfer_bytes()})) {
    throw ParameterMistake("transfer", fmt::format("--transfer: a block of {} is too long for one; {}",
                                                   units::spell(Bytes{block()}), FitsMessage::words));
  }
  if (*existing_ && *work_ != Work::read) {
    throw ParameterMistake("existing", "--existing: goes with --do read; what this run did not make is not written to");
  }
  if (*existing_ && *overwrite_) throw ParameterMistake("overwrite", "--overwrite: not with --existing");
  if (read_share_.was_given() && *work_ != Work::mixed) {
    throw ParameterMistake("read-share", "--read-share: goes with --do mixed");
  }
  if (*directories_ != Directories::none && files_->each == Files::Each::all) {
    throw ParameterMistake("directories", "--directories: there is one file; see --files");
  }
  needs_reads(shift_);
  needs_reads(drop_);
  if (*shift_ < 0 || *shift_ >= ranks) {
    throw ParameterMistake(
        "shift", fmt::format("--shift: {}, but the job has {} ranks; 0 to {} would fit", *shift_, ranks, ranks - 1));
  }
  if (*shift_ > 0 && !backend_->takes_offsets()) {
    throw ParameterMistake("shift", "--shift: with shared file pointers nobody knows whose bytes lie where");
  }
  if (*shift_ > 0 && backend_->per_rank_files()) {
    throw ParameterMistake("shift", "--shift: here each rank finds only what it wrote itself");
  }
  if (*existing_ && backend_->per_rank_files()) {
    throw ParameterMistake("existing", "--existing: here each rank finds only what it wrote itself");
  }
  pace_.check();
  backend_->check(requirements());
}

void Transfers::check_drawn() const {
  const std::string option = "sizes-from";
  drawn_.check();
  const auto refuse = [&](const std::string& words) { throw ParameterMistake(option, "--" + option + ": " + words); };
  if (size_.was_given()) refuse("not with --size");
  if (transfer_->value == 0) refuse("needs --transfer, as blocks differ in length");
  if (*segments_ > 1) refuse("not with --segments");
  if (*work_ != Work::write && *work_ != Work::write_read) {
    refuse(fmt::format("files are new each time; --do {} needs those of before, write and write_read do not",
                       work_.text()));
  }
}

Traffic Transfers::traffic(int ranks) const {
  const std::int64_t ways = *work_ == Work::write_read ? 2 : 1;
  const double of_rank = drawn_.given() ? drawn_.mean() : static_cast<double>(size_->value);
  return {.file_bytes = static_cast<std::int64_t>(ranks * of_rank) * ways};
}

// With a time limit or drawn sizes nobody knows beforehand how much it will be: then only the motif's own rates tell.
std::optional<Bandwidth> Transfers::bandwidth(int ranks) const {
  if (pace_.limited() || drawn_.given()) return std::nullopt;
  return Bandwidth{static_cast<double>(traffic(ranks).file_bytes),
                   "bytes that all ranks move / time of open, transfers, sync and close"};
}

// The job's nodes count from 0, in the order of their lowest ranks.
void Transfers::find_node(const mpi::Group& group) {
  const mpi::Group node = group.split(place_.node, group.rank());
  const mpi::Group firsts = group.split(node.rank() == 0 ? 0 : MPI_UNDEFINED, group.rank());
  std::array<int, 2> found{firsts ? firsts.rank() : 0, firsts ? firsts.size() : 0};
  mpi::must(MPI_Bcast(found.data(), 2, MPI_INT, 0, node.handle()), "MPI_Bcast");
  node_ = found[0];
  nodes_ = found[1];
  of_node_ = {node_, node.rank(), node.size()};
  // Of ranks that share a host one asks: they share its clock.
  if (firsts) clock_offset_ns_ = clock_offset_ns(firsts, MonotonicClock{});
  mpi::must(MPI_Bcast(&clock_offset_ns_, 1, MPI_INT64_T, 0, node.handle()), "MPI_Bcast");
}

Portion Transfers::portion(const mpi::Group& group) const {
  return files_->each == Files::Each::node ? of_node_ : portion_of(*files_, group.rank(), group.size());
}

std::string Transfers::name_of(const Portion& portion, int node) const {
  if (files_->each == Files::Each::all) return *path_;
  switch (*directories_) {
    case Directories::none:
      return file_name(*path_, portion.file);
    case Directories::node:
      return file_name(*path_, portion.file, node);
    case Directories::file:
      return file_name(*path_, portion.file, portion.file);
  }
  return *path_;
}

// `shift`: of the portion that the rank so much further on has.
Transfers::Pass Transfers::make_pass(Access access, const mpi::Group& group, int shift) const {
  struct Known {
    Portion portion;
    int node;
  };
  const Known own{portion(group), node_};
  Known other = own;
  const int ranks = group.size();
  const int from = (group.rank() + shift) % ranks;
  const int to = (group.rank() - shift + ranks) % ranks;
  mpi::must(MPI_Sendrecv(&own, sizeof own, MPI_BYTE, to, 0, &other, sizeof other, MPI_BYTE, from, 0, group.handle(),
                         MPI_STATUS_IGNORE),
            "MPI_Sendrecv");
  Pass pass;
  pass.access = access;
  pass.ranks = group.split(other.portion.file, other.portion.index);
  pass.portion = other.portion;
  pass.extents = Extents(bytes_of(other.portion), *segments_, transfer_bytes(), other.portion);
  pass.opening = {name_of(other.portion, other.node), access, nullptr, pass.extents.file_bytes(), transfer_bytes()};
  pass.writer = from;
  return pass;
}

std::int64_t Transfers::bytes_of(const Portion& portion) const {
  return drawn_.given() ? drawn_.of(portion.file, execution_) : size_->value;
}

// Of the execution that comes; the same on all ranks of a file.
void Transfers::draw_sizes() {
  for (auto* pass : {&writing_, &reading_}) {
    if (!*pass) continue;
    (*pass)->extents = Extents(bytes_of((*pass)->portion), *segments_, transfer_bytes(), (*pass)->portion);
    (*pass)->opening.file_bytes = (*pass)->extents.file_bytes();
  }
  const Pass& first = writing_ ? *writing_ : *reading_;
  order_ = order_of(group_->rank(), first.extents.transfers());
}

// Nothing is claimed of what others made.
void Transfers::claim() {
  if (*existing_) return;
  Layout layout;
  layout.one = files_->each == Files::Each::all;
  std::array<std::int64_t, 2> most{portion(*group_).file + 1, nodes_};
  mpi::must(MPI_Allreduce(MPI_IN_PLACE, most.data(), 1, MPI_INT64_T, MPI_MAX, group_->handle()), "MPI_Allreduce");
  if (!layout.one) layout.files = most[0];
  if (*directories_ == Directories::node) layout.directories = most[1];
  if (*directories_ == Directories::file) layout.directories = most[0];
  owned_.emplace(*group_, Claim{.path = *path_,
                                .layout = layout,
                                .run = {place_.run_id, place_.launch},
                                .existing = *overwrite_ ? Existing::replace : Existing::refuse,
                                .keep = *keep_});
}

void Transfers::decompose(const mpi::Group& group, const Draw& draws) {
  group_ = &group;
  draws_ = draws;
  if (drawn_.given()) drawn_.load(group, draws);
  find_node(group);
  claim();
  const Access both = *work_ == Work::mixed ? Access::both : Access::write;
  if (writes()) writing_ = make_pass(both, group, 0);
  if (reads() && *work_ != Work::mixed) reading_ = make_pass(Access::read, group, static_cast<int>(*shift_));
  for (auto* pass : {&writing_, &reading_}) {
    if (!*pass) continue;
    (*pass)->opening.ranks = &(*pass)->ranks;
    backend_->prepare((*pass)->opening);
  }
  const auto in_flight = static_cast<std::size_t>(backend_->in_flight());
  const auto longest = static_cast<std::size_t>(transfer_bytes());
  memory_ = Buffer(in_flight * longest);
  in_flight_.resize(in_flight);
  for (std::size_t slot = 0; slot < in_flight; ++slot) in_flight_[slot].memory = memory_.data() + slot * longest;
  waits_ = backend_->waits();
  const std::int64_t transfers = (writing_ ? writing_ : reading_)->extents.transfers();
  reading_limit_ = transfers;
  order_ = order_of(group.rank(), transfers);
  if (*work_ == Work::mixed) reads_next_.resize(static_cast<std::size_t>(transfers));
  write_spans_.reserve(static_cast<std::size_t>(iterations()));
  read_spans_.reserve(static_cast<std::size_t>(iterations()));
  if (needs_data() && !*existing_) write_beforehand();
}

// Of what is done, as the options say. They are read by the time that somebody first asks.
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
  std::vector<MotifHistogram*> kept;
  if (writes()) kept.push_back(&write_times_);
  if (reads()) kept.push_back(&read_times_);
  return kept;
}

// What reads and rewrites find: this rank's own portion, in plain order.
void Transfers::write_beforehand() {
  Pass pass = make_pass(Access::write, *group_, 0);
  pass.opening.ranks = &pass.ranks;
  backend_->open(pass.opening);
  for (std::int64_t i = 0; i < pass.extents.transfers(); ++i) {
    const Extent extent = pass.extents.at(i);
    const auto memory = memory_.bytes(0, static_cast<std::size_t>(extent.length));
    payload::fill(memory, {pass.writer, pass.writer, stamp_beforehand}, static_cast<std::uint64_t>(extent.offset));
    backend_->write(extent.offset, memory);
    backend_->wait();
  }
  backend_->close();
  group_->barrier();
}

// Each execution writes files that are not there yet; what stays of the last one is taken away by the first rank of
// each file, while nobody uses it.
void Transfers::prepare(std::uint64_t execution) {
  verified_ = false;
  execution_ = execution;
  if (drawn_.given()) draw_sizes();
  if (*work_ == Work::write || *work_ == Work::append || *work_ == Work::write_read) {
    group_->barrier();
    if (writing_->ranks.rank() == 0) backend_->remove(writing_->opening.path);
    writing_->base = 0;
    group_->barrier();
  }
  for (std::size_t i = 0; i < reads_next_.size(); ++i) {
    Draw position = draws_;
    position.execution = execution * reads_next_.size() + i + 1;
    reads_next_[i] = random_unit(position) < *read_share_;
  }
  if (*drop_ && reading_) drop_caches();
  write_spans_.clear();
  read_spans_.clear();
}

// Each node's memory is its own: on every node one rank of each file sees to it.
void Transfers::drop_caches() {
  group_->barrier();
  const mpi::Group of_node = reading_->ranks.split(node_, reading_->ranks.rank());
  if (of_node.rank() == 0) {
    const auto dropped = drop_cache(reading_->opening.path);
    if (!dropped || dropped->pages_left > 0) {
      note(fmt::format("'{}' could not be dropped from memory{}: reads may not come from the storage",
                       reading_->opening.path,
                       dropped ? fmt::format(" ({} of {} pages stayed)", dropped->pages_left, dropped->pages_before)
                               : ", or the system does not say"));
    }
  }
  group_->barrier();
}

void Transfers::note(std::string text) {
  if (std::ranges::find(notes_, text) == notes_.end()) notes_.push_back(std::move(text));
}

void Transfers::perform(Recorder& recorder) {
  if (writing_) {
    writing_->opening.file_bytes = writing_->base + writing_->extents.file_bytes();
    run(*writing_, write_spans_, recorder);
    if (*work_ == Work::append) writing_->base = writing_->opening.file_bytes;
  }
  if (!reading_) return;
  if (writing_) {
    reading_limit_ = pace_.limited() ? of_writer(progress_.transfers, reading_->writer) : reading_->extents.transfers();
    group_->barrier();  // what others wrote is there
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
    move_together(pass, all, recorder);
  } else {
    move_until(pass, all, Stop::when_time_is_up, recorder);
  }
  if (!pace_.wears_out()) return;
  std::int64_t most = progress_.transfers;
  mpi::must(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, group_->handle()), "MPI_Allreduce");
  move_until(pass, most, Stop::when_done, recorder);
}

// Ranks that transfer together stop together: the first one says how many come next, so many that asking costs little.
void Transfers::move_together(const Pass& pass, std::int64_t all, Recorder& recorder) {
  constexpr std::int64_t batch_ns = 10'000'000;
  std::int64_t next = 1;
  for (std::int64_t start_ns = recorder.now_ns();;) {
    std::int64_t batch = pace_.time_is_up(start_ns) ? 0 : std::min(next, all - progress_.transfers);
    mpi::must(MPI_Bcast(&batch, 1, MPI_INT64_T, 0, pass.ranks.handle()), "MPI_Bcast");
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

// Puts a rank's mark on what it is about to write; the moment after.
std::int64_t Transfers::stamped(const Pass& pass, const Transfer& one, const Recorder& recorder) const {
  const payload::Origin origin{pass.writer, pass.writer, stamp_};
  if (!one.reads) payload::fill(one.bytes(), origin, static_cast<std::uint64_t>(one.extent.offset));
  return recorder.now_ns();
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
  if (const auto words = wrong_byte(pass, one, *work_ == Work::write_read ? stamp_ : stamp_beforehand)) {
    throw MachineFault(*words);
  }
}

std::optional<std::string> Transfers::wrong_byte(const Pass& pass, const Transfer& one, std::uint64_t pass_key) const {
  const payload::Origin origin{pass.writer, pass.writer, pass_key};
  const auto start = static_cast<std::uint64_t>(one.extent.offset);
  const auto wrong = payload::first_wrong(one.bytes(), origin, start);
  if (!wrong) return std::nullopt;
  return fmt::format("wrong byte: '{}' has {:#04x} at offset {}, where rank {} wrote {:#04x} (read by rank {})",
                     pass.opening.path, std::to_integer<int>(one.memory[*wrong]), start + *wrong, pass.writer,
                     std::to_integer<int>(payload::expected(origin, start + *wrong)), group_->rank());
}

void Transfers::fill_payload(std::uint64_t pass) {
  verified_ = true;
  stamp_ = stamp_of(pass);
}

// What is written where others read at the same time must be what was there.
std::uint64_t Transfers::stamp_of(std::uint64_t pass) const {
  return *work_ == Work::mixed ? stamp_beforehand : pass + 1;
}

// Each rank reads what the next one wrote, where it can, so that a byte that only its writer can see is noticed. What
// was read in perform was checked there.
void Transfers::verify(std::uint64_t pass) const {
  if (!writing_) return;
  if (!backend_->takes_offsets()) return;
  group_->barrier();
  Pass back = make_pass(Access::read, *group_, group_->size() > 1 && !backend_->per_rank_files() ? 1 : 0);
  back.opening.ranks = &back.ranks;
  back.base = writing_->base - (*work_ == Work::append ? writing_->extents.file_bytes() : 0);
  back.opening.file_bytes = back.base + back.extents.file_bytes();
  const std::int64_t turns = of_writer(progress_.transfers, back.writer);
  const std::optional<Permutation> order = order_of(back.writer, back.extents.transfers());
  std::optional<std::string> wrong;
  backend_->open(back.opening);
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    Extent extent = back.extents.at(order ? (*order)(turn) : turn);
    extent.offset += back.base;
    const Transfer one{.extent = extent, .memory = memory_.data(), .reads = true};
    backend_->read(extent.offset, one.bytes());
    backend_->wait();
    if (!wrong) wrong = wrong_byte(back, one, stamp_of(pass));
  }
  backend_->close();
  group_->barrier();
  if (wrong) throw MachineFault(*wrong);
}

// How many transfers the rank made whose bytes this one checks.
std::int64_t Transfers::of_writer(std::int64_t own, int writer) const {
  std::int64_t others = own;
  const int ranks = group_->size();
  const int to = (2 * group_->rank() - writer + 2 * ranks) % ranks;
  mpi::must(MPI_Sendrecv(&own, 1, MPI_INT64_T, to, 0, &others, 1, MPI_INT64_T, writer, 0, group_->handle(),
                         MPI_STATUS_IGNORE),
            "MPI_Sendrecv");
  return others;
}

std::optional<Permutation> Transfers::order_of(int rank, std::int64_t transfers) const {
  if (!*random_ || transfers == 0) return std::nullopt;
  Draw position = draws_;
  position.rank = static_cast<std::uint32_t>(rank);
  return Permutation(transfers, random_bits(position));
}

void Transfers::reduce_metrics() {
  reduce_metrics(write_spans_, {write_whole_, write_moving_, write_operations_, write_own_});
  reduce_metrics(read_spans_, {read_whole_, read_moving_, read_operations_, read_own_});
}

// From the first rank that begins to the last one that ends, an iteration at a time.
void Transfers::reduce_metrics(std::vector<Span>& spans, Rates rates) {
  for (const Span& span : spans) {
    const auto common = [&](std::int64_t moment_ns) { return moment_ns - clock_offset_ns_; };
    std::array<std::int64_t, 4> limits{-common(span.opening_ns), -common(span.first_ns), common(span.last_ns),
                                       common(span.closed_ns)};
    std::array<std::int64_t, 2> moved{span.bytes, span.transfers};
    mpi::must(MPI_Allreduce(MPI_IN_PLACE, limits.data(), 4, MPI_INT64_T, MPI_MAX, group_->handle()), "MPI_Allreduce");
    mpi::must(MPI_Allreduce(MPI_IN_PLACE, moved.data(), 2, MPI_INT64_T, MPI_SUM, group_->handle()), "MPI_Allreduce");
    const double moving_s = Nanoseconds{limits[2] + limits[1]}.seconds();
    rates.whole.add(static_cast<double>(moved[0]), Nanoseconds{limits[3] + limits[0]}.seconds());
    rates.moving.add(static_cast<double>(moved[0]), moving_s);
    rates.operations.add(static_cast<double>(moved[1]), moving_s);
    rates.own.add(static_cast<double>(span.bytes), Nanoseconds{span.closed_ns - span.opening_ns}.seconds());
  }
  spans.clear();
}

void Transfers::finish(const mpi::Group& group, int) {
  for (std::string& text : backend_->notes()) note(std::move(text));
  if (writing_ && !backend_->takes_offsets() && verified_) {
    note(fmt::format("files were not verified: with shared pointers nobody knows whose bytes lie where"));
  }
  if (!owned_) return;
  for (std::string& text : owned_->notes()) note(std::move(text));
  owned_->release(group);
}

}  // namespace stressbench::io
