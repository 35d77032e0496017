#include "workload/options.hpp"

#include <memory>
#include <utility>

namespace stressbench::workload {
namespace {

// Whether the text begins with U+2010..2015 or U+2212, which text copied from a PDF has instead of '-'.
bool begins_with_dash(std::string_view text) {
  return text.starts_with("\xE2\x88\x92") ||
         (text.starts_with("\xE2\x80") && text.size() > 2 && text[2] >= '\x90' && text[2] <= '\x95');
}

// Reads the option at the beginning of `words`. Returns the number of words of the option and its value.
std::size_t read_option(std::span<const Word> words, const std::function<Position(const Word&)>& position,
                        MotifCall& call) {
  const Word& word = words.front();
  const bool is_long = word.text.starts_with("--");
  const std::size_t equals = is_long ? word.text.find('=') : std::string::npos;
  Option option;
  option.name = word.text.substr(is_long ? 2 : 0, equals == std::string::npos ? equals : equals - 2);
  option.where = option.value_where = position(word);
  std::size_t consumed = 1;
  bool invalid = word.invalid;
  if (equals != std::string::npos) {
    option.value = word.text.substr(equals + 1);
  } else if (words.size() > 1 && !is_option(words[1])) {
    option.value = words[1].text;
    option.value_where = position(words[1]);
    invalid = invalid || words[1].invalid;
    consumed = 2;
  }
  call.complete = call.complete && !invalid;
  if (!invalid) call.options.push_back(std::move(option));
  return consumed;
}

}  // namespace

bool is_option(const Word& word) {
  if (word.is_literal || word.text.size() < 2 || word.text[0] != '-') return false;
  const char second = word.text[1];
  return second != '.' && !(second >= '0' && second <= '9');
}

void read_options(std::span<const Word> words, const std::function<Position(const Word&)>& position, MotifCall& call,
                  Diagnostics& diagnostics) {
  while (!words.empty()) {
    const Word& word = words.front();
    std::size_t consumed = 1;
    if (is_option(word)) {
      consumed = read_option(words, position, call);
    } else {
      call.complete = false;
      if (!word.invalid) {
        diagnostics.add(
            position(word), in_quotes(word.text) + " is neither an option nor an option's value",
            begins_with_dash(word.text) ? "its first character is a dash; an option begins with a hyphen, '-'" : "");
      }
    }
    words = words.subspan(consumed);
  }
  call.options.shrink_to_fit();
}

Job job_of_command() {
  Job job;
  job.name = "motif";
  job.node_count = 1;
  job.where.node_count = Position{};
  job.where.motif_seen = true;
  return job;
}

MotifCall call_of_command(const std::string& name, const std::vector<std::string>& arguments,
                          Diagnostics& diagnostics) {
  const auto source = std::make_shared<Source>(Source{"command line", name, 0});
  std::vector<Word> words;
  std::vector<int> lengths;
  for (const std::string& argument : arguments) {
    // Spelled as in a workload: options unchanged, everything else quoted as a value if necessary.
    const bool plain = argument.starts_with('-') && argument.find(' ') == std::string::npos;
    const std::string spelled = plain ? argument : spell_word(argument);
    Word& word = words.emplace_back();
    word.text = argument;
    word.line = 1;
    word.column = static_cast<int>(source->text.size()) + 2;
    word.is_literal = !plain;
    lengths.push_back(static_cast<int>(spelled.size()));
    source->text += ' ' + spelled;
  }
  MotifCall call;
  call.name = name;
  call.where = {source, 1, 1, static_cast<int>(name.size())};
  read_options(
      words,
      [&](const Word& word) {
        return Position{source, 1, word.column, lengths[static_cast<std::size_t>(&word - words.data())]};
      },
      call, diagnostics);
  return call;
}

}  // namespace stressbench::workload
