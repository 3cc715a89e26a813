#include "app/session/gallery.h"

#include <filesystem>

#include "app/session/embedded.h"
#include "core/base/atomic_file.h"
#include "core/document/command.h"
#include "core/format/model_file.h"

namespace ergode {
namespace {

std::vector<GalleryModel> read_all(const std::vector<EmbeddedFile>& files) {
  std::vector<GalleryModel> out;
  for (const EmbeddedFile& file : files) {
    ReadOutcome read = parse_model(file.text);
    if (!read.document) continue;  // The tests see to it that there is none.
    const Element& header = read.document->model();
    const std::string question = header.text("question");
    // The tour is named after what it shows, not after the plant in it.
    const std::string title = file.name.ends_with("statechart_tour") ? "Statechart tour" : header.name();
    out.push_back({file.name, title, question.substr(0, question.find('\n')), std::move(*read.document)});
  }
  return out;
}

}  // namespace

const std::vector<GalleryModel>& model_templates() {
  static const std::vector<GalleryModel> all = read_all(embedded_templates());
  return all;
}

const std::vector<GalleryModel>& example_models() {
  static const std::vector<GalleryModel> all = [] {
    std::vector<GalleryModel> out = read_all(embedded_examples());
    for (EmbeddedFile& file : embedded_data()) {
      const std::size_t slash = file.name.find('/');
      for (GalleryModel& model : out)
        if (model.name == file.name.substr(0, slash))
          model.data.emplace_back(file.name.substr(slash + 1), std::move(file.text));
    }
    return out;
  }();
  return all;
}

const GalleryModel* find_in_gallery(const std::string& name) {
  for (const auto* list : {&model_templates(), &example_models()})
    for (const GalleryModel& model : *list)
      if (model.name == name) return &model;
  return nullptr;
}

std::optional<Diagnostic> write_gallery_data(const GalleryModel& model, const std::string& folder,
                                             std::vector<std::string>* written) {
  std::error_code ignored;
  if (!model.data.empty()) std::filesystem::create_directories(folder, ignored);
  for (const auto& [name, text] : model.data) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    if (std::filesystem::exists(path, ignored)) continue;
    if (auto problem = write_file_atomically(path.string(), text)) return problem;
    if (written != nullptr) written->push_back(path.string());
  }
  return std::nullopt;
}

Document named_copy(const GalleryModel& model, const std::string& name) {
  Edit edit(model.document, "New model");
  edit.set(model.document.model().id, "name", name);
  edit.set(model.document.model().id, "question", Value());
  return edit.document();
}

}  // namespace ergode
