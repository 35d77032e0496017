#include "io/simulated/io_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Engine.hpp>

#include "core/error.hpp"
#include "core/simulation.hpp"
#include "io/fault.hpp"

namespace stressbench::io {
namespace {

namespace s4u = simgrid::s4u;

// Properties of an I/O node in the platform file (src/stressbench/labs/platform.py).
constexpr auto number_property = "io-number";
constexpr auto capacity_property = "io-capacity";
constexpr auto stripe_property = "io-stripe";
constexpr auto link_property = "io-link";
constexpr auto peer_property = "io-peer";
constexpr auto rate_property = "io-rate";

std::string text_property(const s4u::Host& host, const char* name) {
  const char* text = host.get_property(name);
  return text == nullptr ? "" : text;
}
std::int64_t property(const s4u::Host& host, const char* name) { return std::atoll(text_property(host, name).c_str()); }

std::vector<s4u::Host*> io_hosts() {
  std::vector<s4u::Host*> hosts = s4u::Engine::get_instance()->get_filtered_hosts(
      [](const s4u::Host* host) { return host->get_property(number_property) != nullptr; });
  std::ranges::sort(hosts, {}, [](const s4u::Host* host) { return property(*host, number_property); });
  return hosts;
}

// FNV-1a: the I/O node of a file follows from its name, and is the same on every machine.
std::uint64_t hash_of(const std::string& text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  return hash;
}

// Of the requests for so many bytes, or of their acknowledgements.
std::int64_t headers(std::int64_t bytes) noexcept {
  const std::int64_t requests = (bytes + FileTraffic::request_bytes - 1) / FileTraffic::request_bytes;
  return requests * FileTraffic::header_bytes;
}

void add(std::vector<std::int64_t>& sum, const std::vector<std::int64_t>& bytes) {
  sum.resize(bytes.size());
  for (std::size_t node = 0; node < bytes.size(); ++node) sum[node] += bytes[node];
}

std::vector<std::int64_t> bytes_by_node(const SimulatedFile& file, std::int64_t begin, std::int64_t end) {
  return bytes_by_node(file.striping, IoNodes::all().count(), begin, end);
}

enum class Direction { to_node, from_node };

// Starts a transfer with each I/O node that has some of `bytes`, of the length that `length_of` gives.
template <class LengthOf>
std::vector<s4u::CommPtr> start(Direction direction, const std::vector<std::int64_t>& bytes, LengthOf length_of) {
  std::vector<s4u::CommPtr> transfers;
  for (std::size_t number = 0; number < bytes.size(); ++number) {
    if (bytes[number] == 0) continue;
    const int node = static_cast<int>(number);
    const std::int64_t length = length_of(bytes[number]);
    transfers.push_back(direction == Direction::to_node ? IoNodes::all().start_sending(node, length)
                                                        : IoNodes::all().start_receiving(node, length));
  }
  return transfers;
}

std::int64_t data(std::int64_t bytes) noexcept { return bytes; }

}  // namespace

void wait_for(std::vector<s4u::CommPtr>& transfers) {
  for (const s4u::CommPtr& transfer : transfers) transfer->wait();
  transfers.clear();
}

bool has_io_nodes() { return !io_hosts().empty(); }

std::string no_storage_text() {
  const auto simulated = simulation();
  if (!simulated || simulated->description.empty() || has_io_nodes()) return {};
  return "the simulated lab has no I/O nodes; a lab file with [io] has some";
}

IoNodes& IoNodes::all() {
  static IoNodes* shared = nullptr;  // a pointer for each rank, to the one object
  if (shared != nullptr) return *shared;
  const std::vector<s4u::Host*> hosts = io_hosts();
  if (hosts.empty()) throw MachineFault("the simulated platform has no I/O nodes");
  if (hosts.front()->get_data<IoNodes>() == nullptr) hosts.front()->set_data(new IoNodes);
  shared = hosts.front()->get_data<IoNodes>();
  return *shared;
}

IoNodes::IoNodes() : hosts_(io_hosts()), stripe_bytes_(property(*hosts_.front(), stripe_property)) {
  for (const s4u::Host* host : hosts_) {
    free_bytes_.push_back(property(*host, capacity_property));
    links_.push_back({.name = text_property(*host, link_property),
                      .node = host->get_name(),
                      .peer = text_property(*host, peer_property),
                      .rate_bits_per_s = property(*host, rate_property)});
  }
}

s4u::CommPtr IoNodes::start_sending(int node, std::int64_t bytes) {
  links_[static_cast<std::size_t>(node)].received_bytes += bytes;
  return s4u::Comm::sendto_async(s4u::this_actor::get_host(), host(node), static_cast<std::uint64_t>(bytes));
}

s4u::CommPtr IoNodes::start_receiving(int node, std::int64_t bytes) {
  links_[static_cast<std::size_t>(node)].sent_bytes += bytes;
  return s4u::Comm::sendto_async(host(node), s4u::this_actor::get_host(), static_cast<std::uint64_t>(bytes));
}

std::string IoNodes::key_of(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::absolute(path, unknown).lexically_normal().string();
}

SimulatedFile* IoNodes::find(const std::string& path) {
  const auto found = files_.find(key_of(path));
  return found == files_.end() ? nullptr : &found->second;
}

SimulatedFile& IoNodes::opened(const std::string& path, std::string_view call) {
  SimulatedFile* const found = find(path);
  if (found == nullptr) throw_io_fault(call, path, ESTALE);
  return *found;
}

SimulatedFile& IoNodes::create(const std::string& path, std::int64_t stripe_bytes, int node_count) {
  const std::string key = key_of(path);
  const auto [file, is_new] = files_.try_emplace(key);
  if (!is_new) return file->second;
  Striping& striping = file->second.striping;
  striping.stripe_bytes = stripe_bytes > 0 ? stripe_bytes : stripe_bytes_;
  striping.first_node = static_cast<int>(hash_of(key) % hosts_.size());
  striping.node_count = node_count > 0 ? std::min(node_count, count()) : count();
  return file->second;
}

bool IoNodes::remove(const std::string& path) {
  const auto found = files_.find(key_of(path));
  if (found == files_.end()) return false;
  truncate(found->second);
  files_.erase(found);
  return true;
}

bool IoNodes::extend(SimulatedFile& file, std::int64_t bytes) {
  if (bytes <= file.bytes) return true;
  const std::vector<std::int64_t> more = bytes_by_node(file.striping, count(), file.bytes, bytes);
  for (std::size_t node = 0; node < more.size(); ++node) {
    if (more[node] > free_bytes_[node]) return false;
  }
  for (std::size_t node = 0; node < more.size(); ++node) free_bytes_[node] -= more[node];
  file.bytes = bytes;
  return true;
}

void IoNodes::truncate(SimulatedFile& file) {
  const std::vector<std::int64_t> held = bytes_by_node(file.striping, count(), 0, file.bytes);
  for (std::size_t node = 0; node < held.size(); ++node) free_bytes_[node] += held[node];
  file.bytes = 0;
}

void FileTraffic::round_trip(const SimulatedFile& file) {
  IoNodes::all().start_sending(file.striping.first_node, header_bytes)->wait();
  IoNodes::all().start_receiving(file.striping.first_node, header_bytes)->wait();
}

void FileTraffic::write(const SimulatedFile& file, std::int64_t begin, std::int64_t end) {
  if (end - begin > write_behind_bytes) return write_through(file, begin, end);
  start_write(file, begin, end);
  if (waiting_bytes_ < write_behind_bytes) return;
  wait_until_sent();
  send_waiting();
}

void FileTraffic::write_through(const SimulatedFile& file, std::int64_t begin, std::int64_t end) {
  add_waiting(file, begin, end);
  finish();
}

void FileTraffic::start_write(const SimulatedFile& file, std::int64_t begin, std::int64_t end) {
  add_waiting(file, begin, end);
  if (is_sending()) return;
  wait_until_sent();
  send_waiting();
}

void FileTraffic::add_waiting(const SimulatedFile& file, std::int64_t begin, std::int64_t end) {
  add(waiting_, bytes_by_node(file, begin, end));
  waiting_bytes_ += end - begin;
}

void FileTraffic::read(const SimulatedFile& file, std::int64_t begin, std::int64_t end) {
  finish();
  start_read(file, begin, end);
  receive_requested();
}

void FileTraffic::start_read(const SimulatedFile& file, std::int64_t begin, std::int64_t end) {
  const std::vector<std::int64_t> bytes = bytes_by_node(file, begin, end);
  add(requested_, bytes);
  std::ranges::move(start(Direction::to_node, bytes, headers), std::back_inserter(requests_));
}

void FileTraffic::finish() {
  wait_until_sent();
  send_waiting();
  wait_until_sent();
  wait_for(acknowledgements_);
  receive_requested();
}

bool FileTraffic::is_sending() {
  return std::ranges::any_of(sending_, [](const s4u::CommPtr& transfer) { return !transfer->test(); });
}

void FileTraffic::send_waiting() {
  sending_ = start(Direction::to_node, waiting_, data);
  sent_ = std::move(waiting_);
  waiting_.clear();
  waiting_bytes_ = 0;
}

void FileTraffic::wait_until_sent() {
  if (sending_.empty()) return;
  wait_for(sending_);
  std::ranges::move(start(Direction::from_node, sent_, headers), std::back_inserter(acknowledgements_));
}

void FileTraffic::receive_requested() {
  if (requests_.empty()) return;
  wait_for(requests_);
  Transfers data_of_nodes = start(Direction::from_node, requested_, data);
  requested_.clear();
  wait_for(data_of_nodes);
}

}  // namespace stressbench::io
