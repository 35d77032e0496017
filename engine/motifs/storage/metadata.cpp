// metadata: creates, stats, opens and removes many files or directories, as mdtest does
// (docs/motifs/metadata.md).
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "core/buffer.hpp"
#include "core/pause.hpp"
#include "core/payload.hpp"
#include "core/permutation.hpp"
#include "core/signals.hpp"
#include "io/item.hpp"
#include "io/owned_files.hpp"
#include "motifs/motif.hpp"
#include "motifs/storage/rate.hpp"

namespace stressbench {
namespace io {

enum class MetadataWork { all, create, stat, open, unlink };
enum class MetadataTree { shared, own };

}  // namespace io

template <>
struct Names<io::ItemKind> {
  static constexpr std::array values{std::pair{std::string_view{"files"}, io::ItemKind::file},
                                     std::pair{std::string_view{"directories"}, io::ItemKind::directory}};
};

namespace io {
namespace {

using Work = MetadataWork;

constexpr std::uint64_t initial_payload_key = 0;  // of contents from before the first repetition
constexpr std::int64_t max_iterations = 65536;

// One operation on all items of a rank, and its metrics.
class Phase {
 public:
  Phase(Motif* owner, Work work, const std::string& operation)
      : work_(work),
        time_(owner, operation + "_time_s", Better::lower,
              fmt::format("from a rank's first {} to the end of its last, including pauses (--think)", operation)),
        rate_(
            owner, operation + "s_per_s", Better::higher,
            fmt::format("{}s of all ranks / time from the start of the first rank to the end of the last", operation)),
        latencies_(operation) {}

  Work work() const noexcept { return work_; }
  std::array<Metric*, 2> metrics() noexcept { return {&time_, &rate_}; }
  MotifHistogram& latencies() noexcept { return latencies_; }

  void prepare(std::int64_t iterations) {
    spans_ns_.clear();
    spans_ns_.reserve(static_cast<std::size_t>(iterations));
  }
  // `own_ns`: time of this rank's operations. `all_ns`: from this rank's arrival at the barrier before the phase to its
  // exit from the barrier after it, never less than the time that all ranks took.
  void add(std::int64_t own_ns, std::int64_t all_ns) {
    time_.add(Nanoseconds{own_ns}.seconds());
    spans_ns_.push_back(all_ns);
  }
  // The minimum over all ranks: between the last arrival and the first exit. Needs no common clock.
  void reduce_metrics(const mpi::Group& group, std::int64_t items_per_rank) {
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, spans_ns_.data(), static_cast<int>(spans_ns_.size()), MPI_INT64_T, MPI_MIN,
                             group.handle()),
               "MPI_Allreduce");
    const double items = static_cast<double>(items_per_rank) * group.size();
    for (const std::int64_t span_ns : spans_ns_) rate_.add(items, Nanoseconds{span_ns}.seconds());
    spans_ns_.clear();
  }

  std::optional<Permutation> order;  // none: in order of creation

 private:
  Work work_;
  Metric time_;
  Rate rate_;
  MotifHistogram latencies_;
  std::vector<std::int64_t> spans_ns_;  // of the current region, one per iteration
};

class Metadata final : public Motif {
 public:
  void check(int ranks) const override;
  Traffic traffic(int ranks) const override { return {.file_bytes = file_bytes(ranks)}; }

  void bind(const RunContext& context) override { run_ = {context.run_id, context.launch}; }
  void decompose(const mpi::Group& group, const Draw& draws) override;
  void prepare(std::uint64_t execution) override;
  void perform(Recorder& recorder) override;
  void reduce_metrics() override;
  void fill_payload(std::uint64_t pass) override;
  void verify(std::uint64_t pass) const override;
  void finish(const mpi::Group& group, int round) override;

  std::span<Metric* const> measured() const override;
  std::vector<MotifHistogram*> histograms() override;
  std::vector<std::string> notes() const override { return notes_; }

 private:
  struct Item {
    int creator = 0;
    std::int64_t index = 0;  // among the creator's items
  };
  enum class ItemsPresent { unknown, none, all };  // which of this rank's items exist

  bool includes(Work work) const noexcept { return *work_ == Work::all || *work_ == work; }
  ItemsPresent required_items() const noexcept {
    return includes(Work::create) ? ItemsPresent::none : ItemsPresent::all;
  }
  ItemsPresent remaining_items() const noexcept {
    return includes(Work::unlink) ? ItemsPresent::none : ItemsPresent::all;
  }
  std::int64_t file_bytes(int ranks) const noexcept {
    const int directions = (includes(Work::create) ? 1 : 0) + (*read_ ? 1 : 0);
    return ranks * *files_ * size_->value * directions;
  }
  void refuse(bool wrong, const Parameter& option, std::string_view why) const {
    if (wrong) reject(option.name(), "{}", why);
  }

  const std::string& path_of(const Item& item, NumberedName& name) const;
  payload::Origin origin_of(const Item& item) const;
  void create_own_items();
  void remove_own_items();

  std::int64_t run_phase(Phase& phase, Recorder& recorder);
  void execute(Work work, const std::string& path);
  void check_result(Work work, const Item& item, const std::string& path);
  void check_stat(const struct stat& found, const Item& item, const std::string& path) const;
  void check_bytes(const Item& item, const std::string& path) const;
  std::string observer_text() const { return fmt::format("(seen by rank {})", group_->rank()); }

  Param<std::int64_t> files_{
      this, 'n', "files", 1000, "items that each rank creates", Positive{}, AtMost{1'000'000'000}};
  Param<std::string> path_{this,
                           'f',
                           "file",
                           "stressbench-metadata.out",
                           "the items are created in directories below FILE.d, which are removed when the motif ends",
                           NotEmpty{}};
  Param<ItemKind> kind_{this, "items", ItemKind::file, "kind of items that are created, queried, opened and removed"};
  Param<Work> work_{this, "do", Work::all,
                    "operation to time, or all of them in order; items that it needs are created before, untimed"};
  Param<MetadataTree> tree_{this, "tree", MetadataTree::shared, "one directory shared by all ranks, or one per rank"};
  Param<Bytes> size_{
      this, 's', "size", Bytes{0}, "bytes written into each file as it is created", AtMost{Bytes{1 << 30}}};
  Param<bool> read_{this, "read", "read these bytes back when a file is opened"};
  Param<bool> sync_{this, "sync", "fsync each file before closing it"};
  Param<std::int64_t> shift_{this, "shift", 0,
                             "stat, open and unlink the items of the rank this far away, to bypass caches"};
  Param<bool> random_{this, "random", "stat, open and unlink in random order, drawn for each execution"};
  Param<Nanoseconds> think_{this, "think", Nanoseconds{0},
                            "pause of a rank between two operations; a sleep from 100 us on, below that busy waiting"};
  Param<bool> keep_{this, "keep", "keep the items when the motif ends"};
  Param<bool> overwrite_{this, "overwrite", "replace items that another run left"};

  Phase create_{this, Work::create, "create"};
  Phase stat_{this, Work::stat, "stat"};
  Phase open_{this, Work::open, "open"};
  Phase unlink_{this, Work::unlink, "unlink"};
  const std::array<Phase*, 4> phases_{&create_, &stat_, &open_, &unlink_};
  Metric operations_{this, "operations", Better::higher, "creates, stats, opens and unlinks of a rank"};
  mutable std::vector<Metric*> measured_;

  std::optional<signals::SigxfszIgnored> file_size_limit_;
  Run run_;
  Draw draws_;
  const mpi::Group* group_ = nullptr;
  std::optional<OwnedFiles> owned_;
  ItemsPresent present_ = ItemsPresent::unknown;
  std::vector<Phase*> active_phases_;
  NumberedName name_;
  Buffer memory_;             // of one file
  struct stat last_stat_ {};  // result of the last stat
  bool verified_ = false;
  std::uint64_t payload_key_ = initial_payload_key;
  std::vector<std::string> notes_;
};

void Metadata::check(int ranks) const {
  const std::string option_text = fmt::format("with --do {}", work_.text());
  const bool directories = *kind_ == ItemKind::directory;
  const bool single_execution = *work_ == Work::create || *work_ == Work::unlink;
  refuse(directories && size_->value > 0, size_, "directories have no contents; use --items files");
  refuse(directories && *sync_, sync_, "directories are not written; use --items files");
  refuse(*sync_ && !includes(Work::create), sync_, fmt::format("nothing is created {}", option_text));
  refuse(*read_ && !includes(Work::open), read_, fmt::format("nothing is opened {}", option_text));
  refuse(*read_ && size_->value == 0, read_, "there are no bytes to read; see --size");
  refuse(*shift_ != 0 && *work_ == Work::create, shift_, "each rank only creates its own items");
  refuse(*random_ && *work_ == Work::create, random_, "items are only created, in order");
  refuse(*keep_ && includes(Work::unlink), keep_, fmt::format("nothing is left {}", option_text));
  refuse(single_execution && iterations() > 1, iterations_,
         fmt::format(
             "{}, but {} can be executed once; use [REPEAT] or [LOOP] for more, which restore the items in between",
             iterations(), work_.text()));
  refuse(iterations() > max_iterations, iterations_,
         fmt::format("{}; at most {}; use [REPEAT] or [LOOP] for more", iterations(), max_iterations));
  refuse(*shift_ < 0 || *shift_ >= ranks, shift_,
         fmt::format("{}, but the job has {} ranks; 0 to {} would fit", *shift_, ranks, ranks - 1));
  const double bytes = 2.0 * ranks * static_cast<double>(*files_) * static_cast<double>(size_->value);
  refuse(bytes > static_cast<double>(std::numeric_limits<std::int64_t>::max() / 2), size_,
         fmt::format("{} in each of {} files of {} ranks is more than any file system holds", size_.text(), *files_,
                     ranks));
}

void Metadata::decompose(const mpi::Group& group, const Draw& draws) {
  group_ = &group;
  draws_ = draws;
  draws_.rank = static_cast<std::uint32_t>(group.rank());
  file_size_limit_.emplace();
  owned_.emplace(group, Claim{.path = *path_,
                              .layout = {.directories = *tree_ == MetadataTree::own ? group.size() : 1},
                              .run = run_,
                              .existing = *overwrite_ ? Existing::replace : Existing::refuse,
                              .keep = *keep_,
                              .exclusive = true});
  name_ = NumberedName(*path_);
  memory_ = Buffer(*size_);
  for (Phase* phase : phases_) {
    if (includes(phase->work())) active_phases_.push_back(phase);
  }
  if (think_->value > 0) pause::minimise_timer_slack();
}

std::span<Metric* const> Metadata::measured() const {
  measured_.clear();
  for (Phase* phase : phases_) {
    if (includes(phase->work())) std::ranges::copy(phase->metrics(), std::back_inserter(measured_));
  }
  measured_.push_back(metrics().back());  // operations_, declared last
  return measured_;
}

std::vector<MotifHistogram*> Metadata::histograms() {
  std::vector<MotifHistogram*> selected;
  for (Phase* phase : phases_) {
    if (includes(phase->work())) selected.push_back(&phase->latencies());
  }
  return selected;
}

const std::string& Metadata::path_of(const Item& item, NumberedName& name) const {
  if (*tree_ == MetadataTree::own) return name.of(item.index, item.creator);
  return name.of(item.creator * *files_ + item.index, 0);
}

payload::Origin Metadata::origin_of(const Item& item) const {
  return {item.creator, static_cast<int>(item.index), payload_key_};
}

// Creates or removes this rank's items as the next execution requires. No rank accesses another's items before the next
// barrier.
void Metadata::prepare(std::uint64_t execution) {
  verified_ = false;
  payload_key_ = initial_payload_key;
  if (present_ != required_items()) required_items() == ItemsPresent::all ? create_own_items() : remove_own_items();
  present_ = required_items();
  for (std::size_t i = 0; i < active_phases_.size(); ++i) {
    active_phases_[i]->prepare(iterations());
    if (!*random_ || active_phases_[i]->work() == Work::create) continue;
    Draw position = draws_;
    position.execution = execution * phases_.size() + i;
    active_phases_[i]->order = Permutation(*files_, random_bits(position));
  }
}

void Metadata::create_own_items() {
  for (Item item{group_->rank(), 0}; item.index < *files_; ++item.index) {
    payload::fill(memory_.bytes(), origin_of(item));
    ensure_item(*kind_, path_of(item, name_), memory_.bytes());
  }
}

void Metadata::remove_own_items() {
  for (Item item{group_->rank(), 0}; item.index < *files_; ++item.index) {
    remove_item_if_exists(*kind_, path_of(item, name_));
  }
}

// All ranks synchronise between two phases, so that no rank stats an item that does not exist yet.
void Metadata::perform(Recorder& recorder) {
  std::int64_t arrived_ns = recorder.now_ns();
  group_->barrier();
  std::int64_t start_ns = recorder.now_ns();
  for (Phase* phase : active_phases_) {
    const std::int64_t end_ns = run_phase(*phase, recorder);
    group_->barrier();
    const std::int64_t released_ns = recorder.now_ns();
    phase->add(end_ns - start_ns, released_ns - arrived_ns);
    arrived_ns = end_ns;
    start_ns = released_ns;
  }
  operations_.add(static_cast<double>(*files_) * static_cast<double>(active_phases_.size()));
  present_ = remaining_items();
}

// Executes a phase. Returns the end of its last operation.
std::int64_t Metadata::run_phase(Phase& phase, Recorder& recorder) {
  const int shift = phase.work() == Work::create ? 0 : static_cast<int>(*shift_);
  Item item{static_cast<int>((std::int64_t{group_->rank()} + shift) % group_->size()), 0};
  std::int64_t end_ns = 0;
  for (std::int64_t position = 0; position < *files_; ++position) {
    item.index = phase.order ? (*phase.order)(position) : position;
    const std::string& path = path_of(item, name_);
    if (verified_ && phase.work() == Work::create) payload::fill(memory_.bytes(), origin_of(item));
    if (verified_ && phase.work() == Work::open) payload::poison(memory_.bytes(), origin_of(item));
    const std::int64_t start_ns = recorder.now_ns();
    execute(phase.work(), path);
    end_ns = recorder.now_ns();
    phase.latencies().record(end_ns - start_ns);
    if (verified_) check_result(phase.work(), item, path);
    if (think_->value > 0 && position + 1 < *files_) {
      pause::until(Computation::sleep, recorder, end_ns + think_->value);
    }
  }
  return end_ns;
}

void Metadata::execute(Work work, const std::string& path) {
  switch (work) {
    case Work::create:
      return create_item(*kind_, path, memory_.bytes(), *sync_ ? Durable::now : Durable::later);
    case Work::stat:
      last_stat_ = stat_item(path);
      return;
    case Work::open:
      return open_item(*kind_, path, *read_ ? memory_.bytes() : std::span<std::byte>());
    case Work::unlink:
      return remove_item(*kind_, path);
    case Work::all:
      break;
  }
}

void Metadata::reduce_metrics() {
  for (Phase* phase : active_phases_) phase->reduce_metrics(*group_, *files_);
}

void Metadata::fill_payload(std::uint64_t pass) {
  verified_ = true;
  if (includes(Work::create)) payload_key_ = pass + 1;
}

void Metadata::check_result(Work work, const Item& item, const std::string& path) {
  if (work == Work::stat) check_stat(last_stat_, item, path);
  if (work != Work::open) return;
  if (!*read_) open_item(*kind_, path, memory_.bytes());
  check_bytes(item, path);
}

void Metadata::check_stat(const struct stat& found, const Item& item, const std::string& path) const {
  const bool directory = *kind_ == ItemKind::directory;
  if (directory ? !S_ISDIR(found.st_mode) : !S_ISREG(found.st_mode)) {
    throw MachineFault("wrong type: '{}' is not a {}, but rank {} created one {}", path,
                       directory ? "directory" : "regular file", item.creator, observer_text());
  }
  if (!directory && found.st_size != size_->value) {
    throw MachineFault("wrong size: '{}' has {} bytes, where rank {} wrote {} {}", path, found.st_size, item.creator,
                       size_->value, observer_text());
  }
}

void Metadata::check_bytes(const Item& item, const std::string& path) const {
  const auto wrong = payload::first_wrong(memory_.bytes(), origin_of(item));
  if (!wrong) return;
  throw MachineFault("wrong byte: '{}' has {:#04x} at offset {}, where rank {} wrote {:#04x} {}", path,
                     std::to_integer<int>(memory_.bytes()[*wrong]), *wrong, item.creator,
                     std::to_integer<int>(payload::expected(origin_of(item), *wrong)), observer_text());
}

// Each rank checks the items that the next rank created or removed, to detect changes that only one of the two can see.
// Results of stat and open were checked in `perform`.
void Metadata::verify(std::uint64_t) const {
  const bool created = *work_ == Work::create;
  if (!created && !includes(Work::unlink)) return;
  NumberedName name(*path_);
  group_->barrier();
  for (Item item{(group_->rank() + 1) % group_->size(), 0}; item.index < *files_; ++item.index) {
    const std::string& path = path_of(item, name);
    if (created) {
      check_stat(stat_item(path), item, path);
      open_item(*kind_, path, memory_.bytes());
      check_bytes(item, path);
    } else if (item_exists(path)) {
      throw MachineFault("still there: '{}', which was removed {}", path, observer_text());
    }
  }
  group_->barrier();
}

// Each rank removes its own items, since one directory may contain many.
void Metadata::finish(const mpi::Group& group, int) {
  if (!owned_) return;
  std::ranges::move(owned_->notes(), std::back_inserter(notes_));
  if (!*keep_ && present_ == ItemsPresent::all) remove_own_items();
  owned_->release(group);
}

const RegisterMotif<Metadata> registered{
    "metadata", Family::storage, "creates, stats, opens and removes many files or directories", "mdtest; IO500"};

}  // namespace
}  // namespace io
}  // namespace stressbench
