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
                                           const std::function<std::shared_ptr<const void>()>& make) const {
  const std::lock_guard lock(made_->mutex);
  const auto found = made_->kept.find(key);
  return found != made_->kept.end() ? found->second : made_->kept.emplace(key, make()).first->second;
}

}  // namespace ergode
