// The simulated network, from a text file ($STRESSBENCH_PLATFORM; src/stressbench/labs/platform.py writes it). SimGrid
// loads this module as its platform and calls load_platform.
#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <map>
#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Host.hpp>
#include <string>
#include <vector>
#include <xbt/config.hpp>

#include "core/console.hpp"
#include "core/error.hpp"
#include "core/input_limits.hpp"
#include "core/text_lines.hpp"
#include "platform/static_zone.hpp"

namespace stressbench::platform {
namespace {

namespace s4u = simgrid::s4u;

constexpr auto path_variable = "STRESSBENCH_PLATFORM";
constexpr auto zone_name = "the network";  // no host has a name with a space
constexpr double core_flops = 1e9;         // required by SimGrid, but without effect: motifs compute for given times

// A link by its name, with the numbers of the nodes at its ends.
struct NamedLink {
  std::size_t a = 0;
  std::size_t b = 0;
  const s4u::SplitDuplexLink* link = nullptr;

  // The direction out of this node, which must be one of the two.
  StaticZone::Direction from(std::size_t node) const {
    return node == a ? StaticZone::Direction{b, link->get_link_up()} : StaticZone::Direction{a, link->get_link_down()};
  }
};

class PlatformFile {
 public:
  explicit PlatformFile(const std::string& path) : lines_(path, input_limits::max_platform_bytes) {}

  // SimGrid owns the zone.
  void read() {
    if (!lines_.next_line(words_) || lines_.line() != "stressbench-platform 1")
      lines_.reject("expected 'stressbench-platform 1'");
    while (lines_.next_line(words_)) read_line();
    complete_nodes();
    zone_.seal();
  }

 private:
  void read_line() {
    const auto is = [this](const char* kind, std::size_t words) { return words_.size() == words && words_[0] == kind; };
    if (is("host", 3)) return create_host();
    if (is("property", 4)) return set_property();
    if (is("switch", 2)) return add_switch();
    if (is("link", 6)) return create_link();
    if (is("disk", 4)) return create_disk();
    if (is("route", 5)) return add_route();
    lines_.reject(
        "'{}': expected 'host NAME CORES', 'property HOST NAME VALUE', 'switch NAME', 'link NAME A B BYTES_PER_S "
        "LATENCY_NS', 'disk HOST read|write BYTES_PER_S' or 'route SWITCH LINK FIRST_HOST LAST_HOST'",
        lines_.line());
  }

  // Gives hosts the numbers that SimGrid gives them.
  void create_host() {
    if (!switches_.empty()) lines_.reject("hosts precede switches");
    add_node(words_[1]);
    hosts_.push_back(zone_.create_host(words_[1], {core_flops}));
    hosts_.back()->set_core_count(static_cast<int>(lines_.number(words_[2])));
  }

  void set_property() { hosts_[host(words_[1])]->set_property(words_[2], words_[3]); }

  void add_switch() {
    add_node(words_[1]);
    switches_.push_back(words_[1]);
  }

  void create_link() {
    complete_nodes();
    NamedLink added{.a = node(words_[2]), .b = node(words_[3])};
    s4u::SplitDuplexLink* const link = zone_.create_split_duplex_link(words_[1], {lines_.number(words_[4])});
    link->set_latency(lines_.number(words_[5]) * 1e-9)->seal();
    added.link = link;
    if (!links_.try_emplace(words_[1], added).second) lines_.reject("{} exists already", words_[1]);
    for (const std::size_t end : {added.a, added.b}) {
      if (end < hosts_.size()) zone_.attach(end, added.from(end));
    }
  }

  void create_disk() {
    complete_nodes();
    const std::size_t owner = host(words_[1]);
    if (words_[2] != "read" && words_[2] != "write") lines_.reject("'{}': expected read or write", words_[2]);
    s4u::Link* const disk =
        zone_.create_link(fmt::format("{}-disk-{}", words_[1], words_[2]), {lines_.number(words_[3])});
    disk->set_latency(0.0)->seal();
    words_[2] == "read" ? zone_.set_read_disk(owner, *disk) : zone_.set_write_disk(owner, *disk);
  }

  void add_route() {
    complete_nodes();
    const std::size_t from = node(words_[1]);
    const auto link = links_.find(words_[2]);
    if (link == links_.end() || (link->second.a != from && link->second.b != from) || from < hosts_.size())
      lines_.reject("'{}' is not a link of the switch '{}'", words_[2], words_[1]);
    const std::size_t last = host(words_[4]);
    for (std::size_t to = host(words_[3]); to <= last; ++to) zone_.forward(from, to, link->second.from(from));
  }

  // Before the first link, at the latest at the end.
  void complete_nodes() {
    if (is_complete_) return;
    is_complete_ = true;
    for (s4u::Host* const host : hosts_) host->seal();
    // As SimGrid's zones have it.
    s4u::Link* const loopback =
        zone_.create_link("loopback", {simgrid::config::get_value<double>("network/loopback-bw")});
    loopback->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE);
    loopback->set_latency(simgrid::config::get_value<double>("network/loopback-lat"))->seal();
    zone_.set_size(hosts_.size(), switches_.size(), *loopback);
  }

  void add_node(const std::string& name) {
    if (is_complete_) lines_.reject("hosts and switches precede links");
    if (!nodes_.try_emplace(name, nodes_.size()).second) lines_.reject("{} exists already", name);
  }

  std::size_t node(const std::string& name) const {
    const auto found = nodes_.find(name);
    if (found == nodes_.end()) lines_.reject("'{}' is neither a host nor a switch above", name);
    return found->second;
  }

  std::size_t host(const std::string& name) const {
    const auto found = nodes_.find(name);
    if (found == nodes_.end() || found->second >= hosts_.size()) lines_.reject("'{}' is not a host above", name);
    return found->second;
  }

  TextLines lines_;
  StaticZone& zone_ = *new StaticZone(zone_name);
  std::vector<std::string> words_;
  std::vector<s4u::Host*> hosts_;
  std::vector<std::string> switches_;
  std::map<std::string, std::size_t> nodes_;
  std::map<std::string, NamedLink> links_;
  bool is_complete_ = false;
};

}  // namespace
}  // namespace stressbench::platform

extern "C" void load_platform(const simgrid::s4u::Engine&) {
  using namespace stressbench;
  try {
    const char* const path = std::getenv(platform::path_variable);
    if (path == nullptr) throw UserMistake("{} is not set", platform::path_variable);
    platform::PlatformFile(path).read();
  } catch (const std::exception& mistake) {
    console::print(stderr, "stressbench: {}\n", mistake.what());
    std::_Exit(exit_user_mistake);
  }
}
