#pragma once
#include <functional>
#include <memory>
#include <string>

#include "core/study/run_request.h"

namespace ergode {

class Document;

/// A model and what is asked of it. What is made of the two on the way to an answer (the model lowered and compiled) is
/// made once, whoever asks first: checks, solvers, reports and companions are handed the same question.
///
/// Cheap to copy; copies share what was made. For any thread.
///
///     const auto model = std::static_pointer_cast<const Model>(
///       question.once("Model\n" + what_it_depends_on, [&] { return std::make_shared<const Model>(...); }));
class Question {
 public:
  /// Of a model that others may change meanwhile: keeps a copy.
  Question(Document document, RunRequest request);
  /// Of a model that outlives the question, its copies and what was made of it, and stays as it is.
  static Question of(const Document& document, RunRequest request);

  /// As it was asked about; the same object for all copies of the question.
  const Document& document() const { return *document_; }
  const RunRequest& request() const { return request_; }
  /// The same model, asked something else; shares what was made.
  /// Results kept under a key are for all requests alike: what depends on the request belongs into the key.
  Question with(RunRequest request) const;

  /// What `make` returned the first time it was asked for under this key. `key` holds everything that it depends on
  /// besides the model, and its own name. Waits while another thread makes it.
  /// @param still_so  for what depends on files: whether what was made holds yet; when not, it is made again.
  /// One lock for all keys: `make` and `still_so` must not ask the same question again, which would wait for itself.
  /// What `make` throws is passed on, and nothing is kept.
  /// @param make      returns what is kept, as long as any copy of the question or anybody who asked for it; null is
  ///     kept too.
  std::shared_ptr<const void> once(const std::string& key, const std::function<std::shared_ptr<const void>()>& make,
                                   const std::function<bool(const void*)>& still_so = nullptr) const;

 private:
  struct Made;
  Question(std::shared_ptr<const Document> document, RunRequest request, std::shared_ptr<Made> made);
  std::shared_ptr<const Document> document_;
  RunRequest request_;
  std::shared_ptr<Made> made_;
};

}  // namespace ergode
