#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/expression/scope.h"

namespace ergode {

/// What expressions mean that concern one customer: his attributes by name, and all else as elsewhere. As long as the
/// scope around it.
class CustomerScope : public Scope {
 public:
  explicit CustomerScope(Scope& around) : around_(around) {}
  /// From here on the name means this; it hides what it meant around.
  void show(const std::string& name, Symbol meaning) { shown_[name] = std::move(meaning); }

  std::optional<Symbol> name(std::string_view word) override {
    if (const auto found = shown_.find(word); found != shown_.end()) return found->second;
    return around_.name(word);
  }
  std::variant<Symbol, StateSet, std::string> path(const ResolvedPath& path) override { return around_.path(path); }
  std::vector<std::string> names() const override {
    std::vector<std::string> out = around_.names();
    for (const auto& [name, meaning] : shown_) out.push_back(name);
    return out;
  }
  bool declares(std::string_view word) const override { return shown_.contains(word) || around_.declares(word); }

 private:
  Scope& around_;
  std::map<std::string, Symbol, std::less<>> shown_;
};

}  // namespace ergode
