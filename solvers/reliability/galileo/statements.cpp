#include "solvers/reliability/galileo/statements.h"

namespace ergode {
namespace {

bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

/// Operators that end in "=" and are no assignment.
bool order_operator(std::string_view word) { return word == "pand<" || word == "por<"; }

class Splitter {
 public:
  Splitter(std::string_view text, Diagnostics& problems) : text_(text), problems_(problems) {}

  std::vector<GalileoStatement> split() {
    while (at_ < text_.size()) {
      if (blank(text_[at_])) step();
      else if (starts("//")) line_comment();
      else if (starts("/*")) block_comment();
      else if (text_[at_] == ';') end_statement();
      else if (text_[at_] == '"') quoted();
      else word();
    }
    if (!words_.empty()) {
      problems_.push_back(tree_problem("GAL001", words_.front().place, "The last statement does not end with `;`."));
      end_statement();
    }
    return std::move(statements_);
  }

 private:
  bool starts(std::string_view mark) const { return text_.substr(at_, mark.size()) == mark; }
  void step() {
    if (text_[at_++] == '\n') ++place_.line, place_.column = 1;
    else ++place_.column;
  }
  void line_comment() {
    while (at_ < text_.size() && text_[at_] != '\n') step();
  }
  void block_comment() {
    const TextPlace begin = place_;
    step(), step();
    while (at_ < text_.size() && !starts("*/")) step();
    if (at_ >= text_.size())
      return problems_.push_back(tree_problem("GAL001", begin, "The comment does not end with `*/`."));
    step(), step();
  }
  void end_statement() {
    if (at_ < text_.size()) step();
    if (!words_.empty()) statements_.push_back(join());
    words_.clear();
  }
  void quoted() {
    GalileoWord out;
    out.place = place_, out.quoted = true;
    step();
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') out.text += text_[at_], step();
    if (at_ >= text_.size() || text_[at_] == '\n')
      problems_.push_back(tree_problem("GAL001", out.place, "The quoted name does not end on its line."));
    else step();
    words_.push_back(std::move(out));
  }
  void word() {
    GalileoWord out;
    out.place = place_;
    while (at_ < text_.size() && !blank(text_[at_]) && text_[at_] != ';' && text_[at_] != '"' && !starts("//") &&
           !starts("/*"))
      out.text += text_[at_], step();
    words_.push_back(std::move(out));
  }

  // Joins `key`, `=`, `value` however they were spaced.
  GalileoStatement join() {
    GalileoStatement out;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      GalileoWord& word = words_[i];
      const auto equals = word.quoted ? std::string::npos : word.text.find('=');
      const bool waits = !out.empty() && out.back().assigned && out.back().value.empty();
      if (waits && !word.quoted && equals == std::string::npos) {
        out.back().value = word.text, out.back().value_place = word.place;
        continue;
      }
      if (equals == std::string::npos || order_operator(word.text.substr(0, equals))) {
        out.push_back(std::move(word));
        continue;
      }
      GalileoWord pair = word;
      pair.text = word.text.substr(0, equals);
      pair.value = word.text.substr(equals + 1);
      pair.assigned = true;
      pair.value_place = {word.place.line, word.place.column + static_cast<int>(equals) + 1};
      const bool key_before = pair.text.empty() && out.size() > 1 && !out.back().quoted && !out.back().assigned;
      if (key_before) {
        pair.text = out.back().text, pair.place = out.back().place;
        out.pop_back();
      }
      out.push_back(std::move(pair));
    }
    return out;
  }

  std::string_view text_;
  Diagnostics& problems_;
  std::size_t at_ = 0;
  TextPlace place_;
  std::vector<GalileoWord> words_;
  std::vector<GalileoStatement> statements_;
};

}  // namespace

std::vector<GalileoStatement> galileo_statements(std::string_view text, Diagnostics& problems) {
  return Splitter(text, problems).split();
}

}  // namespace ergode
