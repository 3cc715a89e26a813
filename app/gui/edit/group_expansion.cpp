#include "app/gui/edit/group_expansion.h"

#include "core/base/text.h"
#include "core/expression/parameters.h"

namespace ergode {
namespace {

/// "[a, b, c]" as single expressions.
std::vector<std::string> list_parts(std::string_view text) {
  text = trim(text);
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (const char c : text) {
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c == ',' && depth == 0) {
      parts.push_back(part);
      part.clear();
    } else {
      part += c;
    }
  }
  if (!trim(part).empty()) parts.push_back(part);
  return parts;
}

std::vector<double> numbers(PropertyReader& reader, const Element& group, const char* property) {
  std::vector<double> out;
  for (const std::string& part : list_parts(group.text(property))) {
    Element single;
    single.id = group.id;
    single.properties["part"] = part;
    out.push_back(reader.quantity(single, "part", {}, 0));
  }
  return out;
}

}  // namespace

GroupExpansion expand_group(const Document& document, ElementId id) {
  GroupExpansion out;
  const Element* group = document.find(id);
  if (group == nullptr) return out;
  Diagnostics problems;
  const ParameterTable table = ParameterTable::resolve(document, "", {}, problems);
  problems.clear();  // Those of parameters are reported at the parameters.
  ParameterScope scope(table);
  PropertyReader reader(scope, problems);
  std::vector<std::string> members;
  for (const Element* edge : document.incident(id)) {
    const Element* member = document.find(edge->source == id ? edge->target : edge->source);
    if (member == nullptr || edge->kind != "membership") continue;
    const long count = member->text("count").empty() ? 1 : reader.integer(*member, "count", 1);
    for (long i = 1; i <= std::min(count, 1L + ccf_group_limit); ++i)
      members.push_back(member->text("count").empty() ? member->name()
                                                      : member->name() + "[" + std::to_string(i) + "]");
  }
  out.members = static_cast<int>(members.size());
  if (members.empty()) {
    out.not_available = "Join the group to its members to see what it expands into.";
    return out;
  }
  const std::string applies = reader.choice(*group, "applies_to", "rate", {"rate", "demand"});
  const std::string model =
      reader.choice(*group, "model", "bfr", {"bfr", "beta", "mgl", "alpha_staggered", "alpha_nonstaggered"});
  out.demand = applies == "demand";
  if (!out.demand) {
    out.unit = "/h";
    out.unit_scale = 1.0 / 3600.0;
  }
  const Dimension dimension = out.demand ? Dimension{} : Dimension::per_time();
  const double total = model == "bfr" ? 0 : reader.quantity(*group, "total", dimension, 0);
  OrderRates rates;
  Diagnostics wrong = validate_group_size(out.members);
  const auto check = [&](const Diagnostics& more) { wrong.insert(wrong.end(), more.begin(), more.end()); };
  if (model == "bfr") {
    const BfrRates bfr{0, reader.quantity(*group, "mu", dimension, 0), reader.quantity(*group, "rho", {}, 0),
                       reader.quantity(*group, "omega", dimension, 0)};
    if (wrong.empty()) check(validate(bfr, out.members));
    if (wrong.empty()) rates = order_rates(bfr, out.members);
  } else if (model == "beta") {
    const double beta = reader.quantity(*group, "beta", {}, 0);
    check(validate_beta(beta));
    if (wrong.empty()) rates = from_beta(beta, total, out.members);
  } else if (model == "mgl") {
    const std::vector<double> letters = numbers(reader, *group, "mgl");
    check(validate_mgl(letters, out.members));
    if (wrong.empty()) rates = from_mgl(letters, total);
  } else {
    const std::vector<double> alphas = numbers(reader, *group, "alphas");
    check(validate_alpha(alphas, out.members));
    if (wrong.empty())
      rates = from_alpha(alphas, total, model == "alpha_staggered" ? Testing::staggered : Testing::non_staggered);
  }
  for (const Diagnostics* list : {&problems, &wrong})
    if (has_errors(*list) && out.not_available.empty()) out.not_available = list->front().message;
  if (out.not_available.empty()) out.expansion = expand(rates, members, 64);
  return out;
}

}  // namespace ergode
