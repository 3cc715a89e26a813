#include "core/expression/unnamed_argument.h"

#include <optional>

#include "core/base/text.h"
#include "core/expression/failure.h"
#include "core/random/distribution.h"

namespace ergode {
namespace {

/// A number or a name with its unit, as it was written; nothing of anything longer.
std::optional<std::string> short_text(const Syntax& argument) {
  std::string out;
  if (argument.kind == Syntax::Kind::number) out = number_text(argument.number);
  else if (argument.kind == Syntax::Kind::path && argument.index == Syntax::Index::none)
    for (const Syntax::Segment& one : argument.segments) out += (out.empty() ? "" : ".") + one.word;
  if (out.empty()) return std::nullopt;
  return argument.unit.empty() ? out : out + " " + argument.unit;
}

bool fits(const Syntax& argument, const DistributionArgument& of, const Dimension& dimension) {
  if (argument.kind == Syntax::Kind::list) return of.list;
  if (argument.kind != Syntax::Kind::number) return true;  // what a name is worth is not known here
  const auto unit = parse_unit(argument.unit);
  const Dimension none, seen = unit ? unit->dimension : none;
  switch (of.dimension) {
    case ArgumentDimension::same:
      return seen == dimension;
    case ArgumentDimension::inverse:
      return seen == product({}, dimension, -1).value_or(dimension);
    case ArgumentDimension::none:
      break;
  }
  return seen == none;
}

/// The arguments given names in the order of a form; nothing where they do not fit it.
std::optional<std::string> named(const Syntax& call, const DistributionForm& form, const Dimension& dimension) {
  if (form.family != call.word || form.arguments.size() < call.children.size()) return std::nullopt;
  for (std::size_t i = call.children.size(); i < form.arguments.size(); ++i)
    if (form.arguments[i].required) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < call.children.size(); ++i) {
    const DistributionArgument& as = form.arguments[i];
    const auto text = short_text(call.children[i]);
    const bool other = !call.names[i].empty() && call.names[i] != as.name;
    if (!text || other || !fits(call.children[i], as, dimension)) return std::nullopt;
    out += (out.empty() ? "" : ", ") + as.name + " = " + *text;
  }
  return call.word + "(" + out + ")";
}

}  // namespace

void fail_unnamed(const Syntax& call, const Syntax& argument, const Dimension& dimension) {
  std::string forms;
  for (const DistributionForm& form : distribution_forms()) {
    if (const auto meant = named(call, form, dimension))
      fail("EXP005", call.word + " wants named arguments: " + *meant + ".", argument.begin);
    if (form.family == call.word) forms += (forms.empty() ? "" : " or ") + form_text(form);
  }
  fail("EXP005", call.word + " wants named arguments: " + forms + ".", argument.begin);
}

}  // namespace ergode
