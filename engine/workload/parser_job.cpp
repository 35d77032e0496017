#include <algorithm>
#include <utility>

#include "workload/parser.hpp"

namespace stressbench::workload {

void Parser::job_name(const Statement& statement) {
  close_job();
  in_job_ = true;
  if (workload_.jobs.size() >= limits::max_jobs) {
    add(statement.where, "a workload may have " + std::to_string(limits::max_jobs) + " jobs");
    throw LimitExceeded{};
  }
  Job& started = workload_.jobs.emplace_back();
  started.where.name = statement.where;
  const Word* word = only_word(statement);
  if (word == nullptr) return;
  started.where.name = position(*word);
  if (word->text.empty() || word->text.size() > limits::max_name_bytes) {
    return refuse(statement, *word, word->text.empty() ? "is empty" : "is longer than 255 bytes");
  }
  started.name = word->text;
}

// Whether the key occurs for the first time in the job, which is then noted in `seen`. Reports a repeated key.
bool Parser::is_first_occurrence(const Statement& statement, std::optional<Position>& seen) {
  if (seen) {
    add(statement.where, "[" + statement.key + "] is given twice in job " + in_quotes(job().name),
        "first in line " + std::to_string(seen->line));
    return false;
  }
  seen = statement.where;
  return true;
}

void Parser::nodes(const Statement& statement) {
  read_once(statement, job().where.node_count, job().node_count, count_up_to(max_nodes));
}

void Parser::ranks_per_node(const Statement& statement) {
  read_once(statement, job().where.ranks_per_node, job().ranks_per_node, count_up_to(max_nodes));
}

void Parser::repeat(const Statement& statement) {
  read_once(statement, job().where.repeat, job().repeat, count_up_to(limits::max_executions));
}

void Parser::min_time(const Statement& statement) {
  read_once(statement, job().where.min_time, job().min_time, [](const std::string& text) {
    const Nanoseconds time = units::wall_duration(text);
    if (time.value == 0) throw UserMistake("must be greater than 0");
    return time;
  });
}

void Parser::load(const Statement& statement) {
  read_once(statement, job().where.load, job().load, [](const std::string& text) {
    const double share = Spelling<double>::read(text);
    if (share <= 0 || share > 1) throw UserMistake("must be greater than 0 and at most 100%");
    return share;
  });
}

void Parser::rate(const Statement& statement) {
  read_once(statement, job().where.rate, job().rate, [](const std::string& text) {
    const Bytes bytes = units::bytes(text);
    if (bytes.value == 0) throw UserMistake("must be greater than 0");
    return bytes;
  });
}

void Parser::role(const Statement& statement) {
  if (!is_first_occurrence(statement, job().where.role)) return;
  const auto chosen = choice(statement, {"measured", "congestor", "background"});  // the last two are synonyms
  if (chosen) job().role = *chosen == 0 ? Role::measured : Role::background;
}

void Parser::shared(const Statement& statement) {
  if (!is_first_occurrence(statement, job().where.shared)) return;
  const auto chosen = choice(statement, {"yes", "no"});
  job().shared = !chosen || *chosen == 0;
  if (!chosen) job().where.shared.reset();  // an invalid value counts as yes, to avoid follow-up errors
}

void Parser::nid_list(const Statement& statement) {
  if (!is_first_occurrence(statement, job().where.nodes)) return;
  if (statement.words.empty()) {
    only_word(statement);  // reports the missing value
    return;
  }
  std::vector<int> nodes;
  const bool is_valid = read_node_items(statement, nodes);
  nodes_named_ += nodes.size();
  if (is_valid && !refuse_repeated(nodes)) {
    nodes.shrink_to_fit();
    job().nodes = std::move(nodes);
  }
}

// Items are separated by commas, with or without blanks and line ends around them.
bool Parser::read_node_items(const Statement& statement, std::vector<int>& nodes) {
  bool is_valid = true;
  bool expects_item = true;
  for (const Word& word : statement.words) {
    const std::string_view text = word.text;
    if (word.invalid) {
      is_valid = expects_item = false;
      continue;
    }
    for (std::size_t from = 0; from < text.size();) {
      if (text[from] == ',') {
        if (expects_item) add(position(word, from, 1), "an item of the node list is empty before ','");
        is_valid = is_valid && !expects_item;
        expects_item = true;
        ++from;
        continue;
      }
      const std::string_view item = text.substr(from, text.find(',', from) - from);
      if (!expects_item) add(position(word, from, item.size()), "a comma is missing before " + in_quotes(item));
      is_valid = read_node_item(word, item, nodes) && expects_item && is_valid;
      expects_item = false;
      from += item.size();
    }
  }
  const Word& last = statement.words.back();
  if (expects_item && !last.invalid)
    add(position(last, last.text.size() - 1, 1), "an item of the node list is empty: it ends with a comma");
  return is_valid && !expects_item;
}

// Position of a part of the word; of the whole word if text in it was replaced, since offsets then differ.
Position Parser::position(const Word& word, std::size_t offset, std::size_t length) const {
  Position where = position(word);
  if (!word.verbatim) return where;
  where.column += static_cast<int>(offset);
  where.length = static_cast<int>(length);
  return where;
}

bool Parser::read_node_item(const Word& word, std::string_view item, std::vector<int>& nodes) {
  const Position where = position(word, static_cast<std::size_t>(item.data() - word.text.data()), item.size());
  const auto first = static_cast<int>(nodes.size());
  try {
    append_nodes(item,
                 static_cast<std::size_t>(max_nodes) - std::min<std::size_t>(max_nodes, nodes_named_ + nodes.size()),
                 nodes);
  } catch (const UserMistake& mistake) {
    add(where, "[NID_LIST] " + in_quotes(item) + " " + mistake.what());
    return false;
  }
  job().where.node_items.push_back({first, where.line, where.column, where.length});
  return true;
}

bool Parser::refuse_repeated(const std::vector<int>& nodes) {
  std::vector<std::pair<int, int>> sorted;  // node, index
  sorted.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) sorted.emplace_back(nodes[i], static_cast<int>(i));
  std::ranges::sort(sorted);
  std::vector<int> repeated;
  int first_index = static_cast<int>(nodes.size());
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].first != sorted[i - 1].first) continue;
    if (repeated.empty() || repeated.back() != sorted[i].first) repeated.push_back(sorted[i].first);
    first_index = std::min(first_index, sorted[i].second);
  }
  if (repeated.empty()) return false;
  const bool one = repeated.size() == 1;
  add(job().where.node_position(first_index), std::string(one ? "node " : "nodes ") + compress(repeated) +
                                                  (one ? " is named more than once" : " are named more than once"));
  return true;
}

void Parser::close_job() {
  while (!loops_.empty()) {
    add(loops_.back().loop.where, "[LOOP] has no [END]");
    loops_.back().motif_seen = true;  // one message is enough
    close_loop();
  }
  excess_loops_ = 0;
}

}  // namespace stressbench::workload
