#include "core/des/lowering.h"
#include "core/base/text_place.h"

#include "core/expression/compile.h"

namespace ergode {
namespace {

std::vector<LoweringFactory>& factories() {
  static std::vector<LoweringFactory> all;
  return all;
}

}  // namespace

std::vector<const Element*> Lowering::nodes(std::string_view notation, std::string_view kind) const {
  std::vector<const Element*> out;
  for (const Element* diagram : document.of(Section::diagram)) {
    if (diagram->text("notation") != notation) continue;
    for (const Element* node : document.nodes(diagram->id))
      if (node->kind == kind) out.push_back(node);
  }
  return out;
}

void Lowering::refuse(const Element& at, std::string code, std::string property, std::string message,
                      std::string hint) {
  problems.push_back({.code = std::move(code),
                      .element = at.id,
                      .pointer = std::move(property),
                      .message = std::move(message),
                      .hint = std::move(hint)});
}

void Lowering::refuse_once(const Element& at, std::string code, const std::string& property, std::string message) {
  for (const Diagnostic& known : problems)
    if (known.severity == Severity::error && known.element == at.id && known.pointer == property) return;
  refuse(at, std::move(code), property, std::move(message));
}

void Lowering::warn(const Element& at, std::string code, std::string property, std::string message, std::string hint) {
  refuse(at, std::move(code), std::move(property), std::move(message), std::move(hint));
  problems.back().severity = Severity::warning;
}

std::optional<DataFiles::Text> Lowering::text_of(const Element& at, const std::string& code,
                                                 const std::string& property, const std::string& file) {
  auto text = files.text(file);
  if (auto* found = std::get_if<DataFiles::Text>(&text)) return std::move(*found);
  if (const auto* refusal = std::get_if<FileRefusal>(&text))
    refuse(at, code, property, refusal->why,
           refusal->folder.empty() ? "" : "Put it there, or allow its folder: --allow-folder " + refusal->folder);
  else refuse(at, code, property, std::get<Diagnostic>(text).message);
  return std::nullopt;
}

Program Lowering::program(const Element& at, const std::string& property, ValueType type, Scope& scope) {
  const std::string text = at.text(property);
  auto made = compile_as(text, type, scope);
  if (const auto* error = std::get_if<ExpressionError>(&made)) {
    Diagnostic d = to_diagnostic(*error, at.id, property);
    d.message = said_of(text, d.message);
    problems.push_back(std::move(d));
    // So that lowering goes on and finds the other errors too.
    return Program(0.0);
  }
  return std::get<Program>(std::move(made));
}

void register_lowering(LoweringFactory factory) { factories().push_back(std::move(factory)); }

std::vector<std::unique_ptr<NotationLowering>> notation_lowerings() {
  std::vector<std::unique_ptr<NotationLowering>> out;
  for (const LoweringFactory& factory : factories()) out.push_back(factory());
  return out;
}

}  // namespace ergode
