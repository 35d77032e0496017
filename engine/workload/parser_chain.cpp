#include <algorithm>
#include <utility>

#include "workload/parser.hpp"

namespace stressbench::workload {
namespace {

// -x and --long; -5 and -.5 are values, and so is what stands in quotes or comes from a variable.
bool is_option(const Word& word) {
  if (word.is_literal || word.text.size() < 2 || word.text[0] != '-') return false;
  const char second = word.text[1];
  return second != '.' && !(second >= '0' && second <= '9');
}

// Text copied from a PDF has U+2010..2015 or U+2212 for '-'.
bool begins_with_dash(std::string_view text) {
  return text.starts_with("\xE2\x88\x92") ||
         (text.starts_with("\xE2\x80") && text.size() > 2 && text[2] >= '\x90' && text[2] <= '\x95');
}

}  // namespace

void Parser::motif(const Statement& statement) {
  job().where.motif_seen = true;
  if (!loops_.empty()) loops_.back().motif_seen = true;
  if (statement.words.empty()) return add(statement.where, "[MOTIF] needs a motif's name");
  const Word& name = statement.words.front();
  if (is_option(name)) return add(position(name), "a motif's name is missing before " + in_quotes(name.text));
  if (name.broken) return;
  if (name.text.empty()) return refuse(statement, name, "is not a motif's name");
  MotifCall call;
  call.name = name.text;
  call.where = position(name);
  read_options(statement, call);
  open_steps().emplace_back(std::move(call));
}

void Parser::read_options(const Statement& statement, MotifCall& call) {
  const auto& words = statement.words;
  for (std::size_t at = 1; at < words.size();) {
    if (is_option(words[at])) {
      at += read_option(words, at, call);
      continue;
    }
    call.complete = false;
    if (!words[at].broken) {
      add(position(words[at]), in_quotes(words[at].text) + " is neither an option nor an option's value",
          begins_with_dash(words[at].text) ? "its first character is a dash; an option begins with a hyphen, '-'" : "");
    }
    ++at;
  }
  call.options.shrink_to_fit();
}

// Returns how many words the option and its value took.
std::size_t Parser::read_option(const std::vector<Word>& words, std::size_t at, MotifCall& call) {
  const Word& word = words[at];
  const bool is_long = word.text.starts_with("--");
  const std::size_t equals = is_long ? word.text.find('=') : std::string::npos;
  Option option;
  option.name = word.text.substr(is_long ? 2 : 0, equals == std::string::npos ? equals : equals - 2);
  option.where = option.value_where = position(word);
  std::size_t taken = 1;
  bool broken = word.broken;
  if (equals != std::string::npos) {
    option.value = word.text.substr(equals + 1);
  } else if (at + 1 < words.size() && !is_option(words[at + 1])) {
    option.value = words[at + 1].text;
    option.value_where = position(words[at + 1]);
    broken = broken || words[at + 1].broken;
    taken = 2;
  }
  call.complete = call.complete && !broken;
  if (!broken) call.options.push_back(std::move(option));
  return taken;
}

void Parser::loop(const Statement& statement) {
  job().where.motif_seen = true;
  if (loops_.size() >= limits::loop_depth) {
    if (hidden_loops_++ == 0) {
      add(statement.where, "loops are more than " + std::to_string(limits::loop_depth) + " deep");
    }
    return;
  }
  const std::int64_t around = loops_.empty() ? 1 : loops_.back().executions;
  OpenLoop opened;
  opened.loop.where = statement.where;
  opened.loop.count = positive(statement, limits::executions).value_or(1);
  if (opened.loop.count > limits::executions / around) {
    add(statement.where, "the loops around this make more than 10^15 passes");
    opened.loop.count = 1;
  }
  opened.executions = around * opened.loop.count;
  loops_.push_back(std::move(opened));
}

void Parser::end(const Statement& statement) {
  if (!statement.words.empty() && !statement.words.front().broken) {
    add(position(statement.words.front()), "[END] takes no value");
  }
  if (hidden_loops_ > 0) {
    --hidden_loops_;
  } else if (loops_.empty()) {
    add(statement.where, "[END] has no [LOOP]");
  } else {
    close_loop();
  }
}

void Parser::close_loop() {
  OpenLoop closed = std::move(loops_.back());
  loops_.pop_back();
  if (!closed.motif_seen) add(closed.loop.where, "[LOOP] holds no [MOTIF]");
  if (!loops_.empty()) loops_.back().motif_seen = true;
  closed.loop.steps.shrink_to_fit();
  if (!closed.loop.steps.empty()) open_steps().emplace_back(std::move(closed.loop));
}

}  // namespace stressbench::workload
