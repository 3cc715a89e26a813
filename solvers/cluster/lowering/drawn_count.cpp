#include "solvers/cluster/lowering/drawn_count.h"

#include <cctype>
#include <cmath>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/catalogue/measure_kinds.h"

namespace ergode {
namespace {

/// Whether a text says NAME or NAME.WORD.
bool says(const std::string& text, const std::string& name) {
  const auto in_word = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
    if ((at == 0 || (!in_word(at - 1) && text[at - 1] != '.')) && !in_word(at + name.size())) return true;
  return false;
}

/// A stream that ends leaves an empty system, which averages in the long run tend to.
void warn_of_its_end(Lowering& model, const Element& stream, double most) {
  std::vector<std::string> names = {stream.name()};
  for (const Element* edge : model.document.edges(stream.diagram)) {
    const Element* to = edge->source == stream.id ? model.document.find(edge->target) : nullptr;
    if (to != nullptr) names.push_back(to->name());
  }
  std::string asked;
  std::size_t count = 0;
  for (const Element* measure : model.document.of(Section::measure)) {
    const MeasureKind* kind = find_measure_kind(trim(measure->text("type")));
    if (kind == nullptr || !kind->without_end()) continue;
    const bool reads = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return says(measure->text("expression"), name) || says(measure->text("of"), name);
    });
    if (reads) asked += (count++ == 0 ? "\"" : ", \"") + quotable(measure->name()) + "\"";
  }
  if (asked.empty()) return;
  model.problems.push_back({.severity = Severity::warning,
                            .code = "RNT022",
                            .element = stream.id,
                            .pointer = "most_jobs",
                            .message = "After " + number_text(most) + " jobs no more come, and " + asked +
                                       (count == 1 ? " asks" : " ask") +
                                       " for the long run, in which nobody is there any more; wanted jobs that go on "
                                       "coming.",
                            .hint = "Leave most_jobs out, or ask for an average over the mission."});
}

}  // namespace

std::uint64_t drawn_most_jobs(Lowering& model, Scope& scope, const Element& stream, const char* code) {
  if (trim(stream.text("most_jobs")).empty()) return jobs_without_end;
  constexpr double most = 1e12;
  const std::size_t known = model.problems.size();
  PropertyReader read(scope, model.problems);
  const double value = read.quantity(stream, "most_jobs", Dimension(), 1.0);
  if (value >= 1.0 && value <= most && value == std::floor(value)) {
    warn_of_its_end(model, stream, value);
    return static_cast<std::uint64_t>(value);
  }
  if (model.problems.size() == known)
    model.refuse(
        stream, code, "most_jobs",
        "The value is " + number_text(value, 9) + "; wanted a whole number from 1 to " + number_text(most) + ".");
  return jobs_without_end;
}

}  // namespace ergode
