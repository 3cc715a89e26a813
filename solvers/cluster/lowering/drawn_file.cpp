#include "solvers/cluster/lowering/drawn_file.h"

#include "core/base/text.h"
#include "core/base/text_place.h"

namespace ergode {

std::string drawn_file(Lowering& model, PropertyReader& read, const Element& element, const char* property,
                       const char* code, const char* instead) {
  std::string file = read.file(element, property);
  const std::string written(trim(element.text(property)));
  if (file.empty() && !written.empty())
    model.problems.push_back({.severity = Severity::warning,
                              .code = code,
                              .element = element.id,
                              .pointer = property,
                              .message = "Here is \"" + quotable(written) + "\", which names no file; of \"" +
                                         element.name() + "\" " + instead + ".",
                              .hint = "Give the parameter a file, or leave this empty."});
  return file;
}

}  // namespace ergode
