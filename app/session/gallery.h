#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/document/document.h"

namespace ergode {

/// A model to begin with. The start page and `ergode new` offer the same ones.
struct GalleryModel {
  std::string name;      ///< For the command line: "redundant_pair".
  std::string title;     ///< "Redundant pair with common cause"
  std::string question;  ///< The first line of what the model answers.
  Document document;     ///< A copy of it is the user's.
  /// Files that the model names (traces, measurements), to stand beside it: name and text.
  std::vector<std::pair<std::string, std::string>> data = {};
};

/// Small models to build upon, simplest first. Made once.
const std::vector<GalleryModel>& model_templates();
/// The examples of the project, in their order. Made once.
const std::vector<GalleryModel>& example_models();

/// The template or example of this name, or null.
const GalleryModel* find_in_gallery(const std::string& name);
/// A copy for a file of this name: it is called so, and no longer asks the question of the template. Its elements have
/// the ids of the template.
/// @param name  any text
Document named_copy(const GalleryModel& model, const std::string& name);

/// Writes the files that the model names into a folder, which is made where it is missing. One that is there stays.
/// @param written  those that were not there; null: nobody asks
/// @returns the first one that cannot be written
std::optional<Diagnostic> write_gallery_data(const GalleryModel& model, const std::string& folder,
                                             std::vector<std::string>* written = nullptr);

}  // namespace ergode
