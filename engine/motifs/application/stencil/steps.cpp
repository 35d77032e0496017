#include "motifs/application/stencil/steps.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "core/error.hpp"
#include "core/suggest.hpp"
#include "core/units.hpp"

namespace stressbench::stencil {
namespace {

constexpr std::string_view blanks = " \t\n";

// The words of one call, taken one by one.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) { skip_blanks(); }

  bool empty() const noexcept { return rest_.empty(); }
  std::string_view peek() const noexcept { return rest_.substr(0, rest_.find_first_of(blanks)); }
  // `what`: for the message if there is none.
  std::string_view take(std::string_view what) {
    if (empty()) throw UserMistake("{} is missing", what);
    const std::string_view word = peek();
    rest_.remove_prefix(word.size());
    skip_blanks();
    return word;
  }
  bool take_if(std::string_view word) {
    if (peek() != word) return false;
    take(word);
    return true;
  }

 private:
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size())); }

  std::string_view rest_;
};

int small_number(std::string_view text, std::string_view what) {
  const std::int64_t number = units::integer(text);
  if (number > std::numeric_limits<int>::max()) throw UserMistake("{} {} is too large", what, text);
  return static_cast<int>(number);
}

Offset read_offset(std::string_view text) {
  const auto refuse = [&] {
    throw UserMistake(
        "'{}' is no offset; expected steps in one or more dimensions, each once: +x, -y, +2x, +x-y; or in "
        "stages: ^, +^, -^, parent, child",
        text);
  };
  Offset offset;
  for (const auto& [name, partner] : partner_names) {
    if (text != name) continue;
    offset.partner = partner;
    return offset;
  }
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t letter = rest.find_first_of(dimension_names);
    if (letter == std::string_view::npos || letter == 0 || (rest[0] != '+' && rest[0] != '-')) refuse();
    int& steps = offset.steps[dimension_names.find(rest[letter])];
    const int count = letter == 1 ? 1 : small_number(rest.substr(1, letter - 1), "an offset of");
    if (steps != 0 || count == 0) refuse();
    steps = rest[0] == '-' ? -count : count;
    rest.remove_prefix(letter + 1);
  }
  if (text.empty()) refuse();
  return offset;
}

StepKind read_kind(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& [known, kind] : Names<StepKind>::values) {
    if (name == known) return kind;
    names.emplace_back(known);
  }
  const auto close = nearest(name, names);
  throw UserMistake(
      "'{}' is no call; {}", name,
      close ? fmt::format("did you mean {}?", *close) : fmt::format("expected one of {}", fmt::join(names, ", ")));
}

void read_time(Step& step, std::string_view text) {
  const std::size_t unit = text.find("ns");
  const std::string_view factors = unit == std::string_view::npos ? "" : text.substr(unit + 2);
  if (unit == std::string_view::npos || (!factors.empty() && factors[0] != '*'))
    throw UserMistake("'{}' is no time; expected nanoseconds, times a size: 2.5ns*x*y", text);
  step.nanoseconds = units::real(text.substr(0, unit));
  step.sent = Product::read(factors.empty() ? "1" : factors.substr(1));
}

// A number, or one that grows with the stage: k, S, 8+k, 8+S.
std::pair<int, TagGrowth> read_tag(std::string_view text) {
  if (text.empty() || (text.back() != 'k' && text.back() != 'S')) return {small_number(text, "tag"), TagGrowth::none};
  const TagGrowth growth = text.back() == 'k' ? TagGrowth::by_number : TagGrowth::by_distance;
  const std::string_view first = text.substr(0, text.size() - 1);
  if (first.empty()) return {0, growth};
  if (first.back() != '+')
    throw UserMistake("'{}' is no tag; expected a whole number, or in stages k, S, 8+k, 8+S", text);
  return {small_number(first.substr(0, first.size() - 1), "tag"), growth};
}

void read_tags(Step& step, Words& words) {
  if (!words.take_if("tag")) return;
  std::tie(step.tag, step.tag_growth) = read_tag(words.take("the tag"));
  step.from_tag = step.tag;
  step.from_tag_growth = step.tag_growth;
  if (step.kind == StepKind::sendrecv && !words.empty())
    std::tie(step.from_tag, step.from_tag_growth) = read_tag(words.take("the tag"));
}

void read_stages(Step& step, Words& words) {
  step.down = words.take_if("down");
  step.stage.highest = words.take_if("highest");
  if (words.take_if("root")) step.stage.root = small_number(words.take("the root"), "root");
}

void read_collective(Step& step, Words& words) {
  if (step.kind != StepKind::barrier) step.sent = Product::read(words.take("the size"));
  const bool reduces = step.kind == StepKind::reduce || step.kind == StepKind::allreduce;
  for (const auto& [name, op] : Names<calls::ReduceOp>::values) {
    if (!reduces || !words.take_if(name)) continue;
    step.op = op;
    break;
  }
  if ((step.kind == StepKind::bcast || step.kind == StepKind::reduce) && words.take_if("root"))
    step.root = small_number(words.take("the root"), "root");
  if (words.take_if("along")) step.along = Spelling<Periodic>::read(words.take("a dimension")).in;
}

Step read_step(std::string_view text) {
  Words words(text);
  Step step;
  step.kind = read_kind(words.take("a call"));
  switch (step.kind) {
    case StepKind::compute:
      read_time(step, words.take("the time"));
      break;
    case StepKind::send:
    case StepKind::isend:
      step.to = read_offset(words.take("the offset"));
      step.sent = Product::read(words.take("the size"));
      read_tags(step, words);
      break;
    case StepKind::recv:
    case StepKind::irecv:
      step.from = read_offset(words.take("the offset"));
      step.received = Product::read(words.take("the size"));
      read_tags(step, words);
      break;
    case StepKind::sendrecv:
      step.to = read_offset(words.take("the offset of the receiver"));
      step.sent = Product::read(words.take("the size of the message to send"));
      step.from = read_offset(words.take("the offset of the sender"));
      step.received = Product::read(words.take("the size of the message to receive"));
      read_tags(step, words);
      break;
    case StepKind::repeat:
      step.times = small_number(words.take("how often"), "a loop of");
      if (step.times == 0) throw UserMistake("a loop has one pass or more");
      break;
    case StepKind::stages:
      read_stages(step, words);
      break;
    case StepKind::waitall:
      for (const auto& [name, which] : Names<WaitsFor>::values) {
        if (which != WaitsFor::all && words.take_if(name)) step.waits_for = which;
      }
      break;
    case StepKind::wait:
    case StepKind::end:
      break;
    default:
      read_collective(step, words);
  }
  if (!words.empty()) throw UserMistake("'{}' is not expected here", words.peek());
  return step;
}

// What a step has that only a stage gives a meaning; empty if nothing.
std::string_view needed_stage(const Step& step) {
  for (const Offset& offset : {step.to, step.from}) {
    for (const auto& [name, partner] : partner_names) {
      if (offset.partner == partner) return name;
    }
  }
  if (step.tag_growth != TagGrowth::none || step.from_tag_growth != TagGrowth::none) return "a tag that grows";
  return step.sent.depends_on_stage() || step.received.depends_on_stage() ? "S" : "";
}

// Requests that are pending, and loops that are open, after each step.
class Unfinished {
 public:
  void add(Step& step) {
    step.part = part_;
    if (step.begins_loop() || step.kind == StepKind::end) ++part_;
    if (const std::string_view stage = needed_stage(step); !stage.empty() && !stages_)
      throw UserMistake("{} has no meaning here; expected it between 'stages' and its 'end'", stage);
    if (stages_) {
      for (const Offset& offset : {step.to, step.from}) add_partner(step, offset);
    }
    switch (step.kind) {
      case StepKind::isend:
      case StepKind::irecv:
        pending_.push_back(step);
        break;
      case StepKind::wait:
        if (pending_.empty()) throw UserMistake("there is no request to wait for");
        pending_.pop_front();
        break;
      case StepKind::waitall:
        if (std::erase_if(pending_, [&](const Step& one) { return step.waits_for_request_of(one); }) == 0 &&
            step.waits_for != WaitsFor::nothing)
          throw UserMistake("there is no request to wait for");
        break;
      case StepKind::repeat:
        require_none_pending("a loop begins");
        loops_.push_back(step);
        break;
      case StepKind::stages:
        require_none_pending("a loop begins");
        if (stages_) throw UserMistake("stages cannot have stages in them");
        loops_.push_back(step);
        stages_ = Stages{step.stage, {}};
        break;
      case StepKind::end:
        require_none_pending("a loop ends");
        if (loops_.empty()) throw UserMistake("there is no loop to end");
        if (loops_.back().kind == StepKind::stages) stages_.reset();
        loops_.pop_back();
        break;
      default:
        break;
    }
  }
  void end() const {
    require_none_pending("the iteration ends");
    if (!loops_.empty())
      throw UserMistake("a loop does not end; expected 'end' for each '{}'", name_of(loops_.back().kind));
  }

 private:
  void require_none_pending(std::string_view when) const {
    if (!pending_.empty()) throw UserMistake("requests are pending when {}; expected waitall before", when);
  }

  // All messages of a loop over stages have partners of one kind, so that those of one pair of ranks are comparable.
  void add_partner(const Step& step, const Offset& offset) {
    const bool is_message = (step.sends() && offset == step.to) || (step.receives() && offset == step.from);
    if (!is_message) return;
    if (offset.partner == Partner::in_grid)
      throw UserMistake("{} is no partner in stages; expected ^, +^, -^, parent or child", offset.text());
    const bool in_tree = offset.is_in_tree();
    if (stages_->in_tree.value_or(in_tree) != in_tree)
      throw UserMistake("stages have messages across bits (^) or in a tree, not both; expected two loops");
    if (!in_tree && stages_->tree != Stage{})
      throw UserMistake("{} is in no tree; expected stages without root and 'highest'", offset.text());
    stages_->in_tree = in_tree;
  }

  struct Stages {
    Stage tree;
    std::optional<bool> in_tree;  // none: no message yet
  };

  std::deque<Step> pending_;
  std::vector<Step> loops_;
  std::optional<Stages> stages_;
  int part_ = 0;
};

// Throws UserMistake unless so many ranks have stages of this kind.
void require_stages(const Step& stages, std::span<const Step> body, int ranks) {
  if (stages.stage.root >= ranks) throw UserMistake("root {}, but the job has {} ranks", stages.stage.root, ranks);
  if (std::has_single_bit(static_cast<unsigned>(ranks))) return;
  for (const Step& step : body) {
    const bool is_message = step.sends() || step.receives();
    const bool in_tree = (step.sends() ? step.to : step.from).is_in_tree();
    const bool depends = step.sent.depends_on_stage() || step.received.depends_on_stage();
    if (!is_message || (in_tree && !depends)) continue;
    const auto fewer = std::bit_floor(static_cast<unsigned>(ranks));
    throw UserMistake("{} in stages needs a power of two of ranks, but the job has {}; {} or {} would fit",
                      in_tree ? "S" : "^", ranks, fewer, 2 * fewer);
  }
}

void append_stages(std::vector<Step>& all, const Step& stages, std::span<const Step> body, int ranks) {
  require_stages(stages, body, ranks);
  const int count = std::bit_width(static_cast<unsigned>(ranks - 1));
  for (int number = 0; number < count; ++number) {
    const int k = stages.down ? count - 1 - number : number;
    Stage stage = stages.stage;
    stage.distance = 1 << k;
    const auto grown = [&](int tag, TagGrowth growth) {
      const int by = growth == TagGrowth::by_number ? k : growth == TagGrowth::by_distance ? stage.distance : 0;
      if (tag > std::numeric_limits<int>::max() - by) throw UserMistake("tag {}+{} is too large", tag, by);
      return tag + by;
    };
    for (Step step : body) {
      if (step.to.partner != Partner::in_grid) step.to.stage = stage;
      if (step.from.partner != Partner::in_grid) step.from.stage = stage;
      step.sent = step.sent.in_stage(stage.distance);
      step.received = step.received.in_stage(stage.distance);
      step.tag = grown(step.tag, step.tag_growth);
      step.from_tag = grown(step.from_tag, step.from_tag_growth);
      all.push_back(std::move(step));
    }
  }
}

}  // namespace

bool Step::sends() const noexcept {
  return kind == StepKind::send || kind == StepKind::isend || kind == StepKind::sendrecv;
}

bool Step::receives() const noexcept {
  return kind == StepKind::recv || kind == StepKind::irecv || kind == StepKind::sendrecv;
}

bool Step::is_collective() const noexcept { return kind >= StepKind::barrier && kind <= StepKind::alltoall; }

std::size_t Step::dimensions() const noexcept {
  std::size_t needed = std::max(sent.dimensions(), received.dimensions());
  if (along != Step{}.along) needed = std::max(needed, Periodic{along}.dimensions());
  for (std::size_t k = 0; k < max_dimensions; ++k) {
    if (to.steps[k] != 0 || from.steps[k] != 0) needed = std::max(needed, k + 1);
  }
  return needed;
}

Steps read_steps(std::string_view text) {
  Steps steps{std::string(text), {}};
  Unfinished unfinished;
  int number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(';', start), text.size());
    const std::string_view one = text.substr(start, end - start);
    start = end + 1;
    if (one.find_first_not_of(blanks) == std::string_view::npos) continue;
    ++number;
    try {
      steps.steps.push_back(read_step(one));
      unfinished.add(steps.steps.back());
    } catch (const UserMistake& mistake) {
      throw UserMistake("call {}, '{}': {}", number, one.substr(one.find_first_not_of(blanks)), mistake.what());
    }
  }
  if (steps.steps.empty()) throw UserMistake("must have a call: sendrecv +x 8*y -x 8*y");
  unfinished.end();
  return steps;
}

std::vector<Step> Steps::on(int ranks) const {
  std::vector<Step> all;
  for (auto step = steps.begin(); step != steps.end(); ++step) {
    if (step->kind != StepKind::stages) {
      all.push_back(*step);
      continue;
    }
    const auto first = step + 1;
    for (int open = 1; open > 0;) {
      ++step;
      if (step->begins_loop()) ++open;
      if (step->kind == StepKind::end) --open;
    }
    append_stages(all, *(first - 1), {first, step}, ranks);
  }
  return all;
}

bool Steps::have_stages() const noexcept {
  return std::ranges::any_of(steps, [](const Step& step) { return step.kind == StepKind::stages; });
}

std::size_t Steps::dimensions() const noexcept {
  std::size_t needed = 0;
  for (const Step& step : steps) needed = std::max(needed, step.dimensions());
  return needed;
}

bool Steps::depend_on_cells() const noexcept {
  return std::ranges::any_of(
      steps, [](const Step& step) { return step.sent.depends_on_cells() || step.received.depends_on_cells(); });
}

}  // namespace stressbench::stencil
