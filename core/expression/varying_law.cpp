#include "core/expression/varying_law.h"

#include <algorithm>
#include <utility>

#include "core/expression/failure.h"
#include "core/expression/machine_code.h"
#include "core/expression/unnamed_argument.h"
#include "core/random/remake_distribution.h"

namespace ergode {

double VaryingLaw::sample(const double* slots, RandomStream& stream, Draft& draft, std::string& why_not) const {
  if (mean_alone_) {
    const double mean = values_.front().evaluate(slots);
    if (mean > 0.0 && mean <= std::numeric_limits<double>::max()) return stream.exponential() * mean;
  }
  std::size_t next = 0;
  for (NamedArgument& argument : draft)
    for (double& value : argument.values) value = values_[next++].evaluate(slots);
  const auto made = remake_distribution(family_, draft);
  if (const auto* law = std::get_if<Distribution>(&made)) return law->sample(stream);
  why_not = std::get<std::string>(made);
  return 0.0;
}

std::vector<std::uint32_t> VaryingLaw::slots() const {
  std::vector<std::uint32_t> out;
  for (const Program& value : values_)
    for (const std::uint32_t slot : value.slots()) out.push_back(slot);
  return out;
}

Checked<VaryingLaw> compile_varying(const Syntax& s, Dimension dimension, Scope& scope) {
  return guarded<VaryingLaw>([&] {
    VaryingLaw out;
    out.family_ = s.word;
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < s.children.size(); ++i) {
      if (s.names[i].empty()) fail_unnamed(s, s.children[i], dimension);
      names.push_back(s.names[i]);
    }
    const DistributionForm* form = find_distribution_form(s.word, names);
    if (form == nullptr) {
      // It tells what forms there are.
      std::vector<NamedArgument> none;
      for (const std::string_view name : names) none.push_back({std::string(name), {}});
      const auto made = make_distribution(s.word, none);
      fail("EXP005", std::holds_alternative<std::string>(made) ? std::get<std::string>(made) : s.word, s.begin);
    }
    for (std::size_t i = 0; i < s.children.size(); ++i) {
      const auto spec = std::find_if(form->arguments.begin(), form->arguments.end(),
                                     [&](const DistributionArgument& one) { return one.name == s.names[i]; });
      const Dimension wanted = spec->dimension == ArgumentDimension::same ? dimension
                               : spec->dimension == ArgumentDimension::inverse
                                   ? product({}, dimension, -1).value_or(dimension)
                                   : Dimension();
      const Syntax& child = s.children[i];
      const bool list = child.kind == Syntax::Kind::list;
      if (list && !spec->list) fail("EXP003", "A list stands here; wanted one value.", child.begin);
      NamedArgument argument{s.names[i], {}};
      for (std::size_t k = 0; k < (list ? child.children.size() : 1); ++k) {
        auto made = compile_as(list ? child.children[k] : child, ValueType::real(wanted), scope);
        if (auto* error = std::get_if<ExpressionError>(&made)) throw Failure{std::move(*error)};
        out.values_.push_back(std::get<Program>(std::move(made)));
        argument.values.push_back(0.0);
      }
      if (argument.values.empty()) fail("EXP005", "The list is empty; wanted at least one value.", child.begin);
      out.shape_.push_back(std::move(argument));
    }
    std::vector<Program*> programs;
    for (Program& value : out.values_) programs.push_back(&value);
    make_machine_code(programs);
    out.mean_alone_ = s.word == "exponential" && out.shape_.size() == 1 && out.shape_.front().name == "mean";
    return out;
  });
}

}  // namespace ergode
