#include "packet/goal.hpp"

#include <optional>
#include <unordered_map>

#include "core/input_limits.hpp"
#include "core/text_lines.hpp"

namespace stressbench::packet {
namespace {

constexpr std::string_view operation_forms =
    "expected 'L: send Nb to R tag T', 'L: recv Nb from R tag T', 'L: calc NS', 'L requires M' or 'L irequires M'";

class GoalReader {
 public:
  explicit GoalReader(const std::string& path) : lines_(path, input_limits::max_trace_file_bytes) {}

  std::vector<RankSchedule> read() {
    std::vector<std::string> words;
    if (!lines_.next(words) || words.size() != 2 || words[0] != "num_ranks") lines_.reject("expected 'num_ranks N'");
    schedules_.resize(static_cast<std::size_t>(lines_.integer(words[1], "num_ranks", 1)));
    std::vector<bool> seen(schedules_.size());
    while (lines_.next(words)) {
      if (words.size() != 3 || words[0] != "rank" || words[2] != "{") lines_.reject("expected 'rank R {{'");
      const std::size_t rank = rank_in(words[1]);
      if (seen[rank]) lines_.reject("rank {} has a block already", rank);
      seen[rank] = true;
      read_rank(schedules_[rank]);
    }
    return std::move(schedules_);
  }

 private:
  std::size_t rank_in(const std::string& word) const {
    const std::int64_t rank = lines_.integer(word, "rank");
    if (rank >= static_cast<std::int64_t>(schedules_.size()))
      lines_.reject("rank {}: ranks are 0 to {}", rank, schedules_.size() - 1);
    return static_cast<std::size_t>(rank);
  }

  void read_rank(RankSchedule& schedule) {
    numbers_.clear();
    for (std::vector<std::string> words; lines_.next(words);) {
      if (words.size() == 1 && words[0] == "}") return require_no_cycle(schedule);
      if (words.size() >= 3 && words[0].ends_with(':')) {
        add_operation(schedule, words);
      } else if (words.size() == 3 && (words[1] == "requires" || words[1] == "irequires")) {
        add_dependency(schedule, words);
      } else {
        lines_.reject("'{}': {}", joined(words), operation_forms);
      }
    }
    lines_.reject("the file ends within a rank; expected '}}'");
  }

  void add_operation(RankSchedule& schedule, const std::vector<std::string>& words) {
    Operation operation;
    operation.label = words[0].substr(0, words[0].size() - 1);
    operation.is_mark = operation.label.starts_with("mark");
    if (words[1] == "calc" && words.size() == 3) {
      operation.amount = lines_.integer(words[2], "calc");
    } else if (const bool sends = words[1] == "send" && words.size() == 7 && words[3] == "to";
               (sends || (words[1] == "recv" && words.size() == 7 && words[3] == "from")) && words[5] == "tag" &&
               words[2].ends_with('b')) {
      operation.kind = sends ? Kind::send : Kind::receive;
      operation.amount = lines_.integer(words[2].substr(0, words[2].size() - 1), "bytes");
      operation.partner = static_cast<int>(rank_in(words[4]));
      operation.tag = lines_.integer(words[6], "tag");
    } else {
      lines_.reject("'{}': {}", joined(words), operation_forms);
    }
    if (!numbers_.try_emplace(operation.label, static_cast<std::uint32_t>(schedule.size())).second)
      lines_.reject("label {} is used twice", operation.label);
    schedule.push_back(std::move(operation));
  }

  void add_dependency(RankSchedule& schedule, const std::vector<std::string>& words) {
    const std::uint32_t later = number_of(words[0]);
    Operation& earlier = schedule[number_of(words[2])];
    (words[1] == "requires" ? earlier.after_completion : earlier.after_start).push_back(later);
    ++schedule[later].dependencies;
  }

  std::uint32_t number_of(const std::string& label) const {
    const auto found = numbers_.find(label);
    if (found == numbers_.end()) lines_.reject("'{}' is no operation of this rank above this line", label);
    return found->second;
  }

  void require_no_cycle(const RankSchedule& schedule) const {
    std::vector<std::uint32_t> open;
    std::vector<std::uint32_t> left;
    for (std::uint32_t at = 0; at < schedule.size(); ++at) {
      left.push_back(schedule[at].dependencies);
      if (left.back() == 0) open.push_back(at);
    }
    std::size_t done = 0;
    while (!open.empty()) {
      const Operation& operation = schedule[open.back()];
      open.pop_back();
      ++done;
      for (const auto* list : {&operation.after_completion, &operation.after_start}) {
        for (const std::uint32_t later : *list) {
          if (--left[later] == 0) open.push_back(later);
        }
      }
    }
    if (done < schedule.size())
      lines_.reject("the operations of the rank that ends here depend on each other in a cycle");
  }

  TextLines lines_;
  std::vector<RankSchedule> schedules_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

}  // namespace

std::string Operation::text() const {
  switch (kind) {
    case Kind::send:
      return fmt::format("{}: send {} bytes to rank {}, tag {}", label, amount, partner, tag);
    case Kind::receive:
      return fmt::format("{}: receive {} bytes from rank {}, tag {}", label, amount, partner, tag);
    case Kind::compute:
      break;
  }
  return fmt::format("{}: compute for {} ns", label, amount);
}

std::vector<RankSchedule> read_goal(const std::string& path) { return GoalReader{path}.read(); }

}  // namespace stressbench::packet
