#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/base/text_place.h"
#include "statecharts/exchange/prism/prism_tokens.h"

namespace ergode {

/// Walks over the tokens from the first to the last; expressions by precedence (recursive descent). What expects
/// something and does not find it throws PrismFailure (PRI001) with the place of the token; the walk has then no
/// defined position. Looking ahead beyond the last token gives the last one.
class PrismParser {
 public:
  /// @param tokens  from prism_tokens(): not empty, the last of kind `end`
  explicit PrismParser(std::vector<PrismToken> tokens) : tokens_(std::move(tokens)) {}

  /// Names of formulas, and labels in quotes, are written out where they stand. Null: none; a label is then an error.
  /// What they point to must live as long as expressions are read.
  const std::map<std::string, PrismExpression>* formulas = nullptr;
  const std::map<std::string, PrismExpression>* labels = nullptr;

  const PrismToken& token(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool is(std::string_view symbol, std::size_t ahead = 0) const {
    return token(ahead).kind == PrismToken::Kind::symbol && token(ahead).text == symbol;
  }
  bool is_word(std::string_view word, std::size_t ahead = 0) const {
    return token(ahead).kind == PrismToken::Kind::word && token(ahead).text == word;
  }
  /// Goes past the symbol when it stands here; else it stays.
  bool accept(std::string_view symbol) { return is(symbol) ? ++at_, true : false; }
  bool accept_word(std::string_view word) { return is_word(word) ? ++at_, true : false; }
  void expect(std::string_view symbol) {
    if (!accept(symbol)) prism_fail(token().place, "Here is " + shown() + "; wanted `" + std::string(symbol) + "`.");
  }
  void expect_word(std::string_view word) {
    if (!accept_word(word)) prism_fail(token().place, "Here is " + shown() + "; wanted `" + std::string(word) + "`.");
  }
  /// Goes past a name, which is no keyword.
  /// @param what  wanted here, for the message: "a variable's name"
  std::string name(const char* what) {
    if (token().kind != PrismToken::Kind::word || keyword(token().text))
      prism_fail(token().place, "Here is " + shown() + "; wanted " + what + ".");
    return tokens_[at_++].text;
  }
  /// The token here as messages show it, cut to a line.
  std::string shown() const {
    return token().kind == PrismToken::Kind::end ? token().text : "`" + quotable(token().text) + "`";
  }
  void next() { ++at_; }
  std::size_t at() const { return at_; }
  /// @param token  as at() gave it
  void go_to(std::size_t token) { at_ = token; }
  bool ended() const { return token().kind == PrismToken::Kind::end; }
  const std::vector<PrismToken>& tokens() const { return tokens_; }
  /// Words of the language that cannot be names, as in PRISM: also those of its property language.
  static bool keyword(const std::string& word);

  /// The longest expression that begins here; the walk stops behind it. Binding, loosest first: `?:`, `=>`, `<=>`, `|`,
  /// `&`, `!`, `=` and `!=`, comparisons, `+ -`, `* /`, unary `-`, as in PRISM's manual. Types are not checked.
  /// @throws PrismFailure  PRI001 also for brackets, `?:` and `!` behind an operator nested deeper than 100, and trees
  /// higher than `deepest_prism`;
  ///                       PRI003 when all expressions of this parser together have more than 2,000,000 nodes with
  ///                       formulas written out.
  PrismExpression expression();

 private:
  using E = PrismExpression::Kind;
  PrismExpression node(E kind, std::string word, std::vector<PrismExpression> of, PrismPlace place);
  void count(std::size_t nodes, PrismPlace place);
  /// One level more; the caller takes it back.
  void deeper();
  PrismExpression binary(std::size_t level);
  PrismExpression unary();
  PrismExpression inserted(const PrismExpression& what, PrismPlace place);
  PrismExpression primary();
  PrismExpression call(const std::string& function, PrismPlace place);

  std::vector<PrismToken> tokens_;
  std::size_t at_ = 0, nodes_ = 0;
  int depth_ = 0;
};

}  // namespace ergode
