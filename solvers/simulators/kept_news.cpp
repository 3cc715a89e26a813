#include "solvers/simulators/kept_news.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>

namespace ergode {
namespace {

struct KeptNews {
  std::string key;
  std::shared_ptr<const SimulatorNews> news;  ///< null: somebody plays it
};

struct NewsShelf {
  std::mutex mutex;
  std::condition_variable changed;
  std::list<KeptNews> all;  ///< who was asked for last comes first
};

NewsShelf& news_shelf() {
  static NewsShelf all;
  return all;
}

}  // namespace

std::shared_ptr<const SimulatorNews> kept_news(const std::string& key, const std::function<bool()>& give_up,
                                               const std::function<SimulatorNews()>& play) {
  NewsShelf& shelf = news_shelf();
  const auto find = [&] {
    return std::find_if(shelf.all.begin(), shelf.all.end(), [&](const KeptNews& one) { return one.key == key; });
  };
  std::unique_lock lock(shelf.mutex);
  for (auto found = find(); found != shelf.all.end(); found = find()) {
    if (found->news != nullptr) {
      shelf.all.splice(shelf.all.begin(), shelf.all, found);
      return shelf.all.front().news;
    }
    shelf.changed.wait_for(lock, std::chrono::milliseconds(50));
    if (give_up && give_up()) throw PluginGaveUp{};
  }
  shelf.all.push_front({key, nullptr});
  lock.unlock();
  const auto end = [&](std::shared_ptr<const SimulatorNews> news) {
    const std::lock_guard again(shelf.mutex);
    const auto mine = find();
    if (news == nullptr) shelf.all.erase(mine);
    else mine->news = std::move(news);
    // Who plays is never dropped.
    for (auto last = shelf.all.end(); shelf.all.size() > most_kept_news && last != shelf.all.begin();)
      if ((--last)->news != nullptr && last != mine) last = shelf.all.erase(last);
    shelf.changed.notify_all();
  };
  std::shared_ptr<const SimulatorNews> news;
  try {
    news = std::make_shared<const SimulatorNews>(play());
  } catch (...) {
    end(nullptr);
    throw;
  }
  end(news);
  return news;
}

}  // namespace ergode
