#include <utility>

#include "workload/options.hpp"
#include "workload/parser.hpp"

namespace stressbench::workload {
void Parser::motif(const Statement& statement) {
  job().where.motif_seen = true;
  if (!loops_.empty()) loops_.back().motif_seen = true;
  if (statement.words.empty()) return add(statement.where, "[MOTIF] needs a motif's name");
  const Word& name = statement.words.front();
  if (is_option(name)) return add(position(name), "a motif's name is missing before " + in_quotes(name.text));
  if (name.invalid) return;
  if (name.text.empty()) return refuse(statement, name, "is not a motif's name");
  MotifCall call;
  call.name = name.text;
  call.where = position(name);
  read_options(
      std::span(statement.words).subspan(1), [this](const Word& word) { return position(word); }, call,
      state_.diagnostics);
  open_steps().emplace_back(std::move(call));
}

void Parser::loop(const Statement& statement) {
  job().where.motif_seen = true;
  if (loops_.size() >= limits::max_loop_depth) {
    if (excess_loops_++ == 0) {
      add(statement.where, "loops are more than " + std::to_string(limits::max_loop_depth) + " deep");
    }
    return;
  }
  const std::int64_t outer_executions = loops_.empty() ? 1 : loops_.back().executions;
  OpenLoop opened;
  opened.loop.where = statement.where;
  std::optional<std::int64_t> count;
  read_value(statement, count, count_up_to(limits::max_executions));
  opened.loop.count = count.value_or(1);
  if (opened.loop.count > limits::max_executions / outer_executions) {
    add(statement.where, "the loops around this make more than 10^15 passes");
    opened.loop.count = 1;
  }
  opened.executions = outer_executions * opened.loop.count;
  loops_.push_back(std::move(opened));
}

void Parser::end(const Statement& statement) {
  if (!statement.words.empty() && !statement.words.front().invalid) {
    add(position(statement.words.front()), "[END] takes no value");
  }
  if (excess_loops_ > 0) {
    --excess_loops_;
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
