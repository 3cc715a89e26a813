#include "app/session/argument_texts.h"

#include "core/base/text.h"
#include "core/expression/syntax.h"

namespace ergode {
namespace {

struct Place {
  std::string name;
  std::size_t from = 0, upto = 0;  ///< of what is on the right, without blanks around
};

// Each goes up to the mark before the next name.
std::vector<Place> places(const std::string& text) {
  const auto parsed = parse_arguments(text);
  const auto* all = std::get_if<std::vector<ArgumentSyntax>>(&parsed);
  std::vector<Place> out;
  for (std::size_t i = 0; all != nullptr && i < all->size(); ++i) {
    const ArgumentSyntax& one = (*all)[i];
    std::size_t from = text.find('=', static_cast<std::size_t>(one.begin) + one.name.size()) + 1, upto = text.size();
    if (i + 1 < all->size()) upto = text.find_last_of(",;", static_cast<std::size_t>((*all)[i + 1].begin));
    const auto blank = [&](std::size_t at) { return text.find_first_of(" \t\n", at) == at; };
    while (from < upto && blank(from)) ++from;
    while (upto > from && blank(upto - 1)) --upto;
    out.push_back({one.name, from, upto});
  }
  return out;
}

}  // namespace

std::vector<std::string> names_in(const std::string& arguments) {
  std::vector<std::string> out;
  for (const Place& one : places(arguments)) out.push_back(one.name);
  return out;
}

std::optional<std::string> argument_text(const std::string& arguments, const std::string& name) {
  for (const Place& one : places(arguments))
    if (one.name == name) return arguments.substr(one.from, one.upto - one.from);
  return std::nullopt;
}

std::string with_argument(const std::string& arguments, const std::string& name, const std::string& text) {
  const std::vector<Place> all = places(arguments);
  for (const Place& one : all)
    if (one.name == name) return arguments.substr(0, one.from) + text + arguments.substr(one.upto);
  return (all.empty() ? "" : arguments.substr(0, all.back().upto) + ", ") + name + " = " + text;
}

}  // namespace ergode
