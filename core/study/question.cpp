#include "core/study/question.h"

#include <map>
#include <mutex>

#include "core/document/document.h"

namespace ergode {

struct Question::Made {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const void>> kept;
};

Question::Question(std::shared_ptr<const Document> document, RunRequest request, std::shared_ptr<Made> made)
    : document_(std::move(document)), request_(std::move(request)), made_(std::move(made)) {}

Question::Question(Document document, RunRequest request)
    : Question(std::make_shared<const Document>(std::move(document)), std::move(request), std::make_shared<Made>()) {}

Question Question::of(const Document& document, RunRequest request) {
  // Points to it without owning it.
  return {std::shared_ptr<const Document>(std::shared_ptr<void>(), &document), std::move(request),
          std::make_shared<Made>()};
}

Question Question::with(RunRequest request) const { return {document_, std::move(request), made_}; }

std::shared_ptr<const void> Question::once(const std::string& key,
                                           const std::function<std::shared_ptr<const void>()>& make,
                                           const std::function<bool(const void*)>& still_so) const {
  const std::lock_guard lock(made_->mutex);
  const auto found = made_->kept.find(key);
  if (found != made_->kept.end() && (!still_so || still_so(found->second.get()))) return found->second;
  return made_->kept.insert_or_assign(key, make()).first->second;
}

}  // namespace ergode
