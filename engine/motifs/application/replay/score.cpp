#include "motifs/application/replay/score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/error.hpp"
#include "motifs/application/replay/datatypes.hpp"

namespace stressbench::replay {
namespace {

constexpr std::int64_t int_max = std::numeric_limits<int>::max();
constexpr std::int64_t largest_attached = 64 << 20;
constexpr int made_unseen = -2;  // a request that nobody saw being made (docs/trace-format.md)

std::int64_t sum_of(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}
const std::vector<std::int64_t>& first_given(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  return a.empty() ? b : a;
}

void left_out(Player& player, const Instruction& i) {
  if (i.request >= 0) player.requests.leave_out(i.request);
}

}  // namespace

bool reorders(const trace::RankRecord& record) {
  return std::ranges::any_of(record.calls, [&](const trace::Call& call) {
    const Operation* const operation = find_operation(call.op);
    if (operation == nullptr || !call.made) return false;
    if (operation->shape != Shape::cartesian && operation->shape != Shape::adjacent) return false;
    const auto place = [&](int number) {
      return number >= 0 && static_cast<std::size_t>(number) < record.comms.size()
                 ? record.comms[static_cast<std::size_t>(number)].rank
                 : 0;
    };
    return place(*call.made) != place(call.comm);
  });
}

std::int64_t bytes_read(const trace::RankRecord& record) {
  std::int64_t in_a_row = 0;
  std::int64_t furthest = 0;
  for (const trace::Call& call : record.calls) {
    if (!call.op.starts_with("File_read")) continue;
    in_a_row += call.bytes * call.times;
    furthest = std::max(furthest, call.offset + call.bytes);
  }
  return std::max(in_a_row, furthest);
}

Score::Score(const trace::RankRecord& record, Terms terms) : record_(record), terms_(std::move(terms)) {
  for (std::size_t c = 0; c < record.comms.size(); ++c) {
    if (record.comms[c].between_groups) {
      throw UserMistake(fmt::format("rank {}: communicator {} joins two groups; intercommunicators are not replayed",
                                    record.rank, c));
    }
  }
  int slots = 0;
  for (const trace::Call& call : record.calls) {
    slots = std::max(slots, call.request + 1);
    file_slots_ = std::max(file_slots_, static_cast<std::size_t>(std::max(call.file, -1) + 1));
    for (const int slot : call.requests) slots = std::max(slots, slot + 1);
    for (const int slot : call.done) slots = std::max(slots, slot + 1);
  }
  memory_.assign(static_cast<std::size_t>(slots), 0);
  find_topologies();
  for (std::size_t c = 0; c < record.calls.size(); ++c) {
    try {
      instructions_.push_back(arrange(record.calls[c]));
    } catch (const UserMistake& mistake) {
      throw UserMistake(
          fmt::format("rank {}, call {} (MPI_{}): {}", record.rank, c, record.calls[c].op, mistake.what()));
    }
  }
  share_memory_of_any();
  count_attached();
}

Score::~Score() {
  for (MPI_Datatype& type : types_) MPI_Type_free(&type);
  for (MPI_Group& group : groups_) MPI_Group_free(&group);
}

Player Score::player() const {
  // One byte at least: some libraries refuse a null pointer even for no elements.
  const auto some = [](std::size_t bytes) { return std::max<std::size_t>(bytes, 1); };
  Player player{Communicators(terms_.world, record_.comms.size()),
                Requests(memory_, widest_),
                Buffer(some(outgoing_)),
                Buffer(some(incoming_)),
                {},
                Files(file_slots_)};
  std::size_t probes = 0;
  for (const trace::Call& call : record_.calls) probes += call.op == "Mprobe" || call.op == "Improbe" ? 1 : 0;
  if (probes > 0) player.matched.reserve(std::max<std::size_t>(probes, 1024));
  return player;
}

Instruction Score::arrange(const trace::Call& call) {
  must_be_known(call.op, terms_.files());
  Instruction i;
  const Operation* const operation = find_operation(call.op);
  i.request = call.request;
  if (is_left_out(call.op, terms_.files())) {
    i.play = left_out;
    return i;
  }
  i.play = operation->play;
  i.name = operation->name;
  i.kind = operation->kind;
  i.comm = call.comm;
  i.tag = call.tag;
  i.receive_tag = call.receive_tag;
  i.root = call.root;
  i.in_place = call.in_place;
  lay_out(call, operation->shape, i);
  return i;
}

void Score::lay_out(const trace::Call& call, Shape shape, Instruction& i) {
  if (shape == Shape::completion) return lay_out_requests(call, i);
  i.peer = partner(call, call.peer);
  i.source = partner(call, call.source);
  if (call.root < 0 || call.root >= communicator(call.comm).size) {
    throw UserMistake(fmt::format("root {} in a communicator of {} ranks", call.root, communicator(call.comm).size));
  }
  switch (shape) {
    case Shape::nothing:
    case Shape::envelope:
      return;
    case Shape::creation:
    case Shape::split:
    case Shape::grouped:
    case Shape::cartesian:
    case Shape::adjacent:
      return lay_out_creation(call, shape, i);
    default:
      break;
  }
  const Element element = element_of(call);
  i.type = element.type;
  switch (shape) {
    case Shape::file_open:
    case Shape::file_move:
    case Shape::file_other:
      return lay_out_file(call, shape, i);
    case Shape::send:
      i.count = count(element, call.bytes);
      return give(element, call.bytes);
    case Shape::receive:
      i.receive_count = count(element, call.bytes);
      return get(i, element, call.bytes);
    case Shape::send_receive:
      i.count = count(element, call.bytes);
      i.receive_count = count(element, call.receive_bytes.value_or(call.bytes));
      give(element, call.bytes);
      return get(i, element, call.receive_bytes.value_or(call.bytes));
    case Shape::replace:
      i.count = count(element, call.bytes);
      return get(i, element, call.bytes);
    case Shape::neighbour_allgather:
    case Shape::neighbour_allgather_blocks:
    case Shape::neighbour_alltoall:
    case Shape::neighbour_alltoall_blocks:
      return lay_out_neighbours(call, shape, i);
    default:
      return lay_out_collective(call, shape, i);
  }
}

void Score::lay_out_collective(const trace::Call& call, Shape shape, Instruction& i) {
  const Element element = element_of(call);
  const trace::Communicator& among = communicator(call.comm);
  const bool is_root = among.rank == call.root;
  if (!call.reduction.empty()) {
    const auto known = reduction_of(call.reduction);
    // What the program computes itself, and on what, is not known: something as cheap on as many bytes.
    i.operation = known && (element.type != MPI_BYTE || call.type == "BYTE") ? *known : MPI_BOR;
  }
  switch (shape) {
    case Shape::vector:
      i.count = count(element, call.bytes);
      give(element, call.bytes);
      return get(i, element, call.bytes);
    case Shape::scatter_block:
      i.count = count(element, call.bytes);
      give(element, call.bytes * among.size);
      return get(i, element, call.bytes * among.size);
    case Shape::scatter_vector: {
      std::vector<std::int64_t> shares = first_given(call.receive_counts, call.counts);
      if (shares.empty()) {
        const std::int64_t elements = call.bytes / element.unit;
        for (int r = 0; r < among.size; ++r) {
          shares.push_back((elements / among.size + (r < elements % among.size ? 1 : 0)) * element.unit);
        }
      }
      i.get = blocks(element, shares, among.size);
      give(element, sum_of(shares));
      return get(i, element, sum_of(shares));
    }
    case Shape::gather:
      i.count = i.receive_count = count(element, call.bytes);
      give(element, call.bytes);
      return get(i, element, is_root ? call.bytes * among.size : 0);
    case Shape::scatter:
      i.count = i.receive_count = count(element, call.bytes);
      give(element, is_root ? call.bytes * among.size : 0);
      return get(i, element, call.bytes);
    case Shape::allgather:
      i.count = i.receive_count = count(element, call.bytes);
      give(element, call.bytes);
      return get(i, element, call.bytes * among.size);
    case Shape::alltoall:
      i.count = i.receive_count = count(element, call.bytes);
      give(element, call.bytes * among.size);
      return get(i, element, call.bytes * among.size);
    case Shape::gather_blocks:
    case Shape::allgather_blocks: {
      i.count = count(element, call.bytes);
      give(element, call.bytes);
      if (shape == Shape::gather_blocks && !is_root) return;
      const auto& shares = first_given(call.receive_counts, call.counts);
      i.get = blocks(element, shares, among.size);
      return get(i, element, sum_of(shares));
    }
    case Shape::scatter_blocks: {
      std::int64_t own = call.bytes;
      if (is_root) {
        const auto& shares = first_given(call.counts, call.receive_counts);
        i.give = blocks(element, shares, among.size);
        give(element, sum_of(shares));
        own = call.receive_bytes.value_or(shares[static_cast<std::size_t>(among.rank)]);
      }
      i.receive_count = count(element, own);
      return get(i, element, own);
    }
    default:
      if (!call.in_place || !call.counts.empty()) {
        i.give = blocks(element, call.counts, among.size);
        give(element, sum_of(call.counts));
      }
      i.get = blocks(element, call.receive_counts, among.size);
      return get(i, element, sum_of(call.receive_counts));
  }
}

void Score::lay_out_neighbours(const trace::Call& call, Shape shape, Instruction& i) {
  const Element element = element_of(call);
  const Degrees degree = degrees(call);
  switch (shape) {
    case Shape::neighbour_allgather:
      i.count = i.receive_count = count(element, call.bytes);
      give(element, call.bytes);
      return get(i, element, call.bytes * degree.in);
    case Shape::neighbour_allgather_blocks:
      i.count = count(element, call.bytes);
      give(element, call.bytes);
      i.get = blocks(element, first_given(call.receive_counts, call.counts), degree.in);
      return get(i, element, sum_of(first_given(call.receive_counts, call.counts)));
    case Shape::neighbour_alltoall:
      i.count = i.receive_count = count(element, call.bytes);
      give(element, call.bytes * degree.out);
      return get(i, element, call.bytes * degree.in);
    default:
      i.give = blocks(element, call.counts, degree.out);
      i.get = blocks(element, call.receive_counts, degree.in);
      give(element, sum_of(call.counts));
      return get(i, element, sum_of(call.receive_counts));
  }
}

void Score::lay_out_creation(const trace::Call& call, Shape shape, Instruction& i) {
  Creation& creation = i.creation;
  creation.made = call.made.value_or(-1);
  creation.reordered = terms_.reordered;
  const trace::Communicator* const made = call.made ? &communicator(*call.made) : nullptr;
  creation.colour = made == nullptr ? MPI_UNDEFINED : 0;
  creation.key = made == nullptr ? 0 : made->rank;
  if (shape == Shape::split) {
    creation.colour = call.colour < 0 ? MPI_UNDEFINED : call.colour;
    creation.key = call.key;
  } else if (shape == Shape::grouped) {
    if (made == nullptr) throw UserMistake("gave no communicator");
    creation.members = members(*made);
  } else if (shape == Shape::cartesian) {
    if (call.dims.empty() || call.dims.size() != call.periods.size()) {
      throw UserMistake(fmt::format("{} dims and {} periods", call.dims.size(), call.periods.size()));
    }
    creation.dimensions = static_cast<int>(call.dims.size());
    creation.dims = keep(call.dims);
    creation.periods = keep(call.periods);
  } else if (shape == Shape::adjacent) {
    for (const int rank : call.sources) partner(call, rank);
    for (const int rank : call.destinations) partner(call, rank);
    creation.indegree = static_cast<int>(call.sources.size());
    creation.outdegree = static_cast<int>(call.destinations.size());
    creation.sources = keep(call.sources);
    creation.destinations = keep(call.destinations);
  } else if (made != nullptr && !std::string_view(call.op).starts_with("Comm_dup") && call.op != "Comm_idup") {
    // Who ends up together is told by the lowest of their ranks in the world.
    if (!made->members) throw UserMistake("the members of its communicator are too irregular to have been kept");
    int lowest = std::numeric_limits<int>::max();
    for (const trace::Run& run : *made->members) {
      lowest = std::min({lowest, run.first, run.first + run.stride * (run.count - 1)});
    }
    creation.colour = lowest;
  }
}

void Score::lay_out_requests(const trace::Call& call, Instruction& i) {
  for (const int slot : call.requests) {
    if (slot == made_unseen) {
      throw UserMistake("names a request that was made by a call which the trace does not hold");
    }
    if (slot < made_unseen) throw UserMistake(fmt::format("names slot {}", slot));
  }
  for (const int slot : call.done) {
    if (std::ranges::find(call.requests, slot) == call.requests.end() || slot < 0) {
      throw UserMistake(fmt::format("slot {} completed, but is not among its requests", slot));
    }
  }
  const bool takes_one =
      call.op == "Wait" || call.op == "Test" || call.op == "Start" || call.op == "Request_free" || call.op == "Cancel";
  if (takes_one && call.requests.size() != 1) {
    throw UserMistake(fmt::format("names {} requests; it takes one", call.requests.size()));
  }
  const int* const slots = keep(call.requests);
  i.requests.slots = {slots, call.requests.size()};
  i.requests.consecutive = !call.requests.empty() && call.requests.front() >= 0;
  for (std::size_t k = 1; k < call.requests.size(); ++k) {
    if (call.requests[k] != call.requests[k - 1] + 1) i.requests.consecutive = false;
  }
  i.done = {keep(call.done), call.done.size()};
  widest_ = std::max(widest_, call.requests.size());
}

void Score::lay_out_file(const trace::Call& call, Shape shape, Instruction& i) {
  if (call.file < 0) throw UserMistake("names no file");
  i.file = call.file;
  i.offset = call.offset;
  i.whence = call.whence == "CUR" ? MPI_SEEK_CUR : call.whence == "END" ? MPI_SEEK_END : MPI_SEEK_SET;
  if (shape == Shape::file_move) {
    const Element element = element_of(call);
    i.count = count(element, call.bytes);
    give(element, call.bytes);
    get(i, element, call.bytes);
  }
  if (shape != Shape::file_open) return;
  // One file for those that open it together, named after the first of them.
  const trace::Communicator& among = communicator(call.comm);
  if (!among.members || among.members->empty()) {
    throw UserMistake("the members of its communicator are too irregular to have been kept");
  }
  const std::string& path = paths_.emplace_back(
      fmt::format("{}{}-{}.{}", terms_.scratch, among.members->front().first, among.size, call.file));
  if (among.rank == 0) scratch_.make(path, terms_.bytes_to_read);
  i.path = path.c_str();
  // It is there already, and taken away in the end.
  i.amode = call.amode & ~(MPI_MODE_EXCL | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
}

Score::Element Score::element_of(const trace::Call& call) {
  std::vector<std::int64_t> sizes{call.bytes, call.receive_bytes.value_or(0)};
  sizes.insert(sizes.end(), call.counts.begin(), call.counts.end());
  sizes.insert(sizes.end(), call.receive_counts.begin(), call.receive_counts.end());
  for (const std::int64_t size : sizes) {
    if (size < 0) throw UserMistake(fmt::format("has a message of {} bytes", size));
  }
  const auto fits = [&](std::int64_t unit) {
    return unit > 0 && std::ranges::all_of(sizes, [&](std::int64_t size) { return size % unit == 0; });
  };
  const bool own_reduction = !call.reduction.empty() && !reduction_of(call.reduction);
  const auto named = own_reduction ? std::nullopt : datatype_of(call.type);
  if (named && fits(call.unit)) {
    int size = 0;
    MPI_Aint lowest = 0;
    MPI_Aint extent = 0;
    mpi::must(MPI_Type_size(*named, &size), "MPI_Type_size");
    mpi::must(MPI_Type_get_extent(*named, &lowest, &extent), "MPI_Type_get_extent");
    if (size == call.unit) return {*named, size, std::max<std::int64_t>(extent, size)};
  }
  // More bytes than a count can tell: in elements of the captured size.
  if (std::ranges::max(sizes) > int_max && call.reduction.empty() && call.unit > 1 && call.unit <= int_max &&
      fits(call.unit)) {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    mpi::must(MPI_Type_contiguous(static_cast<int>(call.unit), MPI_BYTE, &made), "MPI_Type_contiguous");
    types_.push_back(made);
    mpi::must(MPI_Type_commit(&types_.back()), "MPI_Type_commit");
    return {types_.back(), call.unit, call.unit};
  }
  return {};
}

int Score::count(const Element& element, std::int64_t bytes) const {
  const std::int64_t elements = bytes / element.unit;
  if (elements > int_max) {
    throw UserMistake(fmt::format("{} elements in one message; at most {} can be replayed", elements, int_max));
  }
  return static_cast<int>(elements);
}

void Score::give(const Element& element, std::int64_t bytes) {
  outgoing_ = std::max(outgoing_, static_cast<std::size_t>(bytes / element.unit * element.extent));
}

void Score::get(const Instruction& i, const Element& element, std::int64_t bytes) {
  std::size_t& room = i.request < 0 ? incoming_ : memory_[static_cast<std::size_t>(i.request)];
  // Never none: a slot that receives has memory, if only for nothing.
  room = std::max({room, static_cast<std::size_t>(bytes / element.unit * element.extent), std::size_t{1}});
}

Blocks Score::blocks(const Element& element, const std::vector<std::int64_t>& bytes, int partners) {
  if (bytes.size() != static_cast<std::size_t>(partners)) {
    throw UserMistake(fmt::format("sizes for {} ranks; there are {}", bytes.size(), partners));
  }
  std::vector<int> counts;
  std::vector<int> offsets;
  std::vector<int> byte_offsets;
  std::vector<MPI_Aint> long_offsets;
  std::int64_t at = 0;
  for (const std::int64_t size : bytes) {
    counts.push_back(count(element, size));
    const std::int64_t byte_offset = at / element.unit * element.extent;
    offsets.push_back(count(element, at));
    // Only MPI_Alltoallw looks at these.
    byte_offsets.push_back(static_cast<int>(std::min(byte_offset, int_max)));
    long_offsets.push_back(byte_offset);
    at += size;
  }
  Blocks made;
  made.counts = keep(std::move(counts));
  made.offsets = keep(std::move(offsets));
  made.byte_offsets = keep(std::move(byte_offsets));
  made.long_offsets = addresses_.emplace_back(std::move(long_offsets)).data();
  made.types = type_lists_.emplace_back(static_cast<std::size_t>(partners), element.type).data();
  return made;
}

const trace::Communicator& Score::communicator(int number) const {
  if (number < 0 || static_cast<std::size_t>(number) >= record_.comms.size()) {
    throw UserMistake(fmt::format("names communicator {}, but the trace has {}", number, record_.comms.size()));
  }
  return record_.comms[static_cast<std::size_t>(number)];
}

int Score::partner(const trace::Call& call, int rank) const {
  const int size = communicator(call.comm).size;
  if (rank == trace::Call::none) return MPI_PROC_NULL;
  if (rank < 0 || rank >= size) throw UserMistake(fmt::format("rank {} in a communicator of {}", rank, size));
  return rank;
}

Score::Degrees Score::degrees(const trace::Call& call) const {
  const auto found = topologies_.find(call.comm);
  if (found != topologies_.end()) return found->second;
  throw UserMistake(
      "its communicator was not made by MPI_Cart_create or MPI_Dist_graph_create_adjacent; neighbours of others are "
      "not "
      "in a trace");
}

MPI_Group Score::members(const trace::Communicator& made) {
  if (!made.members) throw UserMistake("the members of its communicator are too irregular to have been kept");
  std::vector<std::array<int, 3>> ranges;
  for (const trace::Run& run : *made.members) {
    const int stride = run.stride == 0 ? 1 : run.stride;
    ranges.push_back({run.first, run.first + stride * (run.count - 1), stride});
  }
  MPI_Group all = MPI_GROUP_NULL;
  mpi::must(MPI_Comm_group(terms_.world, &all), "MPI_Comm_group");
  groups_.push_back(all);
  MPI_Group some = MPI_GROUP_NULL;
  mpi::must(
      MPI_Group_range_incl(all, static_cast<int>(ranges.size()), reinterpret_cast<int(*)[3]>(ranges.data()), &some),
      "MPI_Group_range_incl");
  groups_.push_back(some);
  return some;
}

const int* Score::keep(std::vector<int> values) { return numbers_.emplace_back(std::move(values)).data(); }

// In order of the calls: a communicator is made before it is duplicated.
void Score::find_topologies() {
  for (const trace::Call& call : record_.calls) {
    if (!call.made) continue;
    if (call.op == "Cart_create") {
      const int neighbours = 2 * static_cast<int>(call.dims.size());
      topologies_[*call.made] = {neighbours, neighbours};
    } else if (call.op == "Dist_graph_create_adjacent") {
      topologies_[*call.made] = {static_cast<int>(call.sources.size()), static_cast<int>(call.destinations.size())};
    } else if (call.op.starts_with("Comm_dup") || call.op == "Comm_idup") {
      if (const auto from = topologies_.find(call.comm); from != topologies_.end()) {
        topologies_[*call.made] = from->second;
      }
    }
  }
}

// Requests that one MPI_Waitany may swap swap their memory too (Requests::complete): it must be as large.
void Score::share_memory_of_any() {
  for (bool grown = true; grown;) {
    grown = false;
    for (const trace::Call& call : record_.calls) {
      if (call.done.empty()) continue;
      std::size_t largest = 0;
      const auto each = [&](auto look) {
        for (const int slot : call.requests) {
          if (slot >= 0) look(memory_[static_cast<std::size_t>(slot)]);
        }
      };
      each([&](std::size_t bytes) { largest = std::max(largest, bytes); });
      each([&](std::size_t& bytes) {
        grown |= bytes < largest;
        bytes = largest;
      });
    }
  }
}

void Score::count_attached() {
  std::int64_t starts = 0;
  for (const trace::Call& call : record_.calls) {
    if (call.op.starts_with("Start")) starts += call.times * static_cast<std::int64_t>(call.requests.size());
  }
  std::int64_t bytes = 0;
  for (const trace::Call& call : record_.calls) {
    const bool once = call.op == "Bsend" || call.op == "Ibsend";
    if (!once && call.op != "Bsend_init") continue;
    const std::int64_t times = std::max<std::int64_t>(once ? call.times : starts, 1);
    const std::int64_t one = call.bytes + MPI_BSEND_OVERHEAD;
    bytes += times > largest_attached / one ? largest_attached : times * one;
    bytes = std::min(bytes, largest_attached);
  }
  attached_ = static_cast<std::size_t>(bytes);
}

}  // namespace stressbench::replay
