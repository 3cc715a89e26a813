#include "core/document/element.h"

#include "core/base/text.h"

namespace ergode {

std::string Element::text(std::string_view property, std::string_view otherwise) const {
  const auto found = properties.find(std::string(property));
  if (found == properties.end()) return std::string(otherwise);
  if (found->is_string()) return found->get<std::string>();
  if (found->is_boolean()) return found->get<bool>() ? "true" : "false";
  if (found->is_number_unsigned()) return std::to_string(found->get<std::uint64_t>());
  if (found->is_number_integer()) return std::to_string(found->get<long long>());
  if (found->is_number_float()) return number_text(found->get<double>());
  return found->dump();
}

}  // namespace ergode
