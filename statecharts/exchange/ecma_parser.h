#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "statecharts/exchange/ecma_expression.h"
#include "statecharts/exchange/ecma_tokens.h"

namespace ergode {

/// Reads an ECMAScript expression and writes what it is worth in our language: operators in ecma_expression.cpp, what
/// they stand between in ecma_primary.cpp. Of this room alone.
class EcmaParser {
 public:
  EcmaParser(std::vector<EcmaToken> tokens, EcmaScope& scope) : tokens_(std::move(tokens)), scope_(scope) {}
  EcmaValue whole();

 private:
  using Type = EcmaValue::Type;
  static constexpr int deepest_brackets = 60;

  static EcmaValue make(Type type, std::string text, int strength) {
    EcmaValue out;
    out.type = type, out.text = std::move(text), out.strength = strength;
    return out;
  }
  static EcmaValue truth(bool value) { return make(Type::boolean, value ? "true" : "false", 9); }

  const EcmaToken& token(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool symbol(std::string_view s) const { return token().kind == EcmaToken::Kind::symbol && token().text == s; }
  bool accept(std::string_view s) {
    if (!symbol(s)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view s) {
    if (!accept(s)) broken("no `" + std::string(s) + "` where one is wanted");
  }
  // Reads what is evaluated only where these errors cannot be.
  template <class Read>
  EcmaValue given(const std::vector<std::string>& ruled_out, Read read) {
    const std::size_t before = ruled_out_.size();
    ruled_out_.insert(ruled_out_.end(), ruled_out.begin(), ruled_out.end());
    EcmaValue out = read();
    ruled_out_.resize(before);
    return out;
  }
  static bool is_text(const EcmaValue& v) { return v.type == Type::text || v.maybe_text; }
  static bool is_number(const EcmaValue& v) { return v.type == Type::number && parse_number(v.text).has_value(); }
  // Undefined whatever happens.
  static bool is_never(const EcmaValue& v) { return v.type == Type::undefined && !v.null; }

  EcmaValue expression();
  static std::vector<std::string> together(std::vector<std::string> a, const std::vector<std::string>& b);
  static std::string wrapped(const std::string& text);
  static std::string condition_operand(const std::string& text);
  static std::string logic_operand(const EcmaValue& value, int least);
  EcmaValue disjunction();
  EcmaValue conjunction();
  EcmaValue equality();
  static EcmaValue negation(const EcmaValue& value);
  static EcmaValue bound_test(const EcmaValue& value);
  EcmaValue equal(const EcmaValue& a, const EcmaValue& b, bool strict);
  static EcmaValue not_a_number();
  static void refuse_nan(const EcmaValue& value);
  EcmaValue name_test(const std::string& name);
  static EcmaValue type_test(const EcmaValue& tested, const EcmaValue& word);
  EcmaValue relation();
  EcmaValue field_test(const EcmaValue& field);
  static std::string arithmetic_operand(const EcmaValue& value, int least);
  EcmaValue sum();
  EcmaValue term();
  EcmaValue unary();

  EcmaValue text_value(const std::string& value);
  EcmaValue primary();
  std::optional<EcmaValue> carried_or_undefined();
  EcmaValue array();
  EcmaValue in_state();
  EcmaValue mathematics();
  EcmaValue name(const std::string& head);

  std::vector<EcmaToken> tokens_;
  EcmaScope& scope_;
  std::vector<std::string> ruled_out_;  // errors that cannot be where we are
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace ergode
