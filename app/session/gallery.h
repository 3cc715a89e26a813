#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/document/document.h"

namespace ergode {

/// A model to begin with. The start page and `ergode new` offer the same ones.
struct GalleryModel {
  std::string name;      ///< For the command line: "redundant_pair".
  std::string title;     ///< "Redundant pair with common cause"
  std::string question;  ///< The first line of what the model answers.
  Document document;     ///< A copy of it is the user's.
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

}  // namespace ergode
