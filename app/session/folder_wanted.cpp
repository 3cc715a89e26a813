#include "app/session/folder_wanted.h"

namespace ergode {

std::optional<std::string> folder_wanted(const Document& document, const Diagnostic& problem,
                                         const FileAccess& access) {
  const Element* element = document.find(problem.element);
  if (problem.code != "EXP008" || element == nullptr) return std::nullopt;
  // Any text in quotes may be the name; those that may be read are refused for another reason.
  const std::string text = element->text(problem.pointer);
  for (std::size_t open = text.find('"'); open != std::string::npos;) {
    const std::size_t close = text.find('"', open + 1);
    if (close == std::string::npos) break;
    const auto file = permitted_file(access, text.substr(open + 1, close - open - 1));
    if (const auto* refusal = std::get_if<FileRefusal>(&file); refusal != nullptr && !refusal->folder.empty())
      return refusal->folder;
    open = text.find('"', close + 1);
  }
  return std::nullopt;
}

}  // namespace ergode
