#include "plugins/host/native_station.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "plugins/host/plugin_process.h"
#include "plugins/host/simulator_solver.h"
#include "plugins/native/load_library.h"

namespace ergode {
namespace {

[[noreturn]] void native_failure(const FoundPlugin& plugin, const char* code, const std::string& what) {
  throw PluginFailure({.code = code, .message = "The plugin " + plugin.name + " " + what});
}

/// Each library once, for all threads.
const ergode_plugin& loaded_library(const FoundPlugin& plugin) {
  static std::mutex mutex;
  static std::map<std::string, const ergode_plugin*> all;
  const std::lock_guard lock(mutex);
  const std::string path = plugin.program().front();
  const ergode_plugin*& known = all[path];
  if (known != nullptr) return *known;
  const ergode_plugin* made = nullptr;
  if (const std::string why = load_plugin_library(path.c_str(), made); !why.empty())
    native_failure(plugin, "PLG005", "cannot be used: " + why + ".");
  if (made->station == nullptr) native_failure(plugin, "PLG011", "has no station, although its manifest says so.");
  known = made;
  return *made;
}

class NativeStation : public PluginStation {
 public:
  NativeStation(const FoundPlugin& plugin, PluginInput input, std::uint64_t seed, const std::string& name)
      : plugin_(plugin),
        spec_(*plugin.manifest->station),
        station_(*loaded_library(plugin).station),
        values_(std::move(input)),
        json_(values_.json.dump(-1, Value::BadText::replace)),
        seed_(seed),
        name_("station " + name) {
    host_.size = sizeof host_, host_.abi_minor = ERGODE_PLUGIN_ABI_MINOR, host_.context = this;
    host_.cancelled = [](void*) { return std::int32_t{0}; };
    host_.progress = [](void*, double) {};
    host_.row = [](void* self, std::uint32_t table, const ergode_cell* cells, std::size_t count) {
      static_cast<NativeStation*>(self)->row(table, cells, count);
    };
    host_.observe = [](void* self, std::uint32_t output, const double* values, std::size_t count) {
      static_cast<NativeStation*>(self)->observe(output, values, count);
    };
    host_.tell = [](void* self, std::int32_t severity, const char* pointer, const char* text) {
      static_cast<NativeStation*>(self)->told(severity, pointer, text);
    };
    host_.depart = [](void* self, std::uint64_t job, const double* attributes) {
      static_cast<NativeStation*>(self)->depart(job, attributes);
    };
  }
  ~NativeStation() override { end(); }

  void begin(std::uint64_t replication, std::uint64_t life, StationNews& news) override {
    end();
    input_.size = sizeof input_, input_.number_count = static_cast<std::uint32_t>(values_.numbers.size());
    input_.numbers = values_.numbers.data(), input_.json = json_.c_str(), input_.json_size = json_.size();
    input_.seed = plugin_seed(seed_, name_of_life(name_, life), replication), input_.replication = replication;
    call("create", news, [&] { return station_.create(&input_, &host_, &made_); });
  }
  double arrive(double now_s, std::uint64_t job, std::span<const double> attributes, StationNews& news) override {
    double next = never;
    call("arrive", news, [&] { return station_.arrive(made_, now_s, job, attributes.data(), &next); });
    return checked(next, now_s);
  }
  double advance(double now_s, StationNews& news) override {
    double next = never;
    call("advance", news, [&] { return station_.advance(made_, now_s, &next); });
    return checked(next, now_s);
  }
  void finish(double now_s, StationNews& news) override {
    call("finish", news, [&] { return station_.finish(made_, now_s); });
  }

 private:
  void end() {
    StationNews unheard;
    news_ = &unheard;
    if (made_ != nullptr) station_.destroy(made_);
    made_ = nullptr;
  }
  template <class Call>
  void call(const char* function, StationNews& news, const Call& does) {
    news_ = &news;
    std::int32_t came_to = ERGODE_FAILED;
    try {
      came_to = does();
    } catch (const std::exception& thrown) {
      let_out(function, thrown.what());
    } catch (...) {
      let_out(function, "no text");
    }
    // C functions stand between here and what was wrong: it is thrown when they are left.
    if (came_to != ERGODE_OK || !wrong_.empty()) failed(function, came_to);
  }
  [[noreturn, gnu::noinline]] void let_out(const char* function, const char* what) const {
    std::string text = "let an exception out of ";
    text += function;
    text += "(): ";
    text += what;
    text += '.';
    native_failure(plugin_, "PLG023", text);
  }
  [[noreturn, gnu::noinline]] void failed(const char* function, std::int32_t came_to) {
    if (!wrong_.empty()) native_failure(plugin_, "PLG022", std::exchange(wrong_, {}));
    std::string text = "reported a failure (";
    if (complaint_.empty())
      text.append(function).append("() returned ").append(std::to_string(came_to)).append(" without a word");
    else text += visible(std::exchange(complaint_, {}));
    text += ").";
    native_failure(plugin_, "PLG023", text);
  }
  double checked(double next, double now_s) const {
    if (next >= now_s) return next;
    native_failure(plugin_, "PLG025",
                   "wants to go on at " + number_text(next) + " s, when it is " + number_text(now_s, 12) +
                       " s; wanted a time from now on, or infinity.");
  }
  void observe(std::uint32_t output, const double* values, std::size_t count) {
    if (output >= spec_.outputs.size()) {
      wrong_ = "observed output " + std::to_string(output) + ", which its manifest does not have.";
      return;
    }
    const PluginOutput& of = spec_.outputs[output];
    for (std::size_t i = 0; i < count; ++i) {
      const double x = values[i];
      if (!std::isfinite(x) || (of.minimum && x < *of.minimum) || (of.maximum && x > *of.maximum))
        wrong_ = "observed " + number_text(x) + " as " + of.name +
                 "; wanted a finite number within the bounds of its manifest.";
      else news_->observations.push_back({output, x});
    }
  }
  void row(std::uint32_t table, const ergode_cell* cells, std::size_t count) {
    if (table >= spec_.tables.size() || count != spec_.tables[table].columns.size()) {
      wrong_ = "gave a row of " + std::to_string(count) + " cells of table " + std::to_string(table) +
               ", which its manifest does not have.";
      return;
    }
    std::vector<ResultTable::Cell> row;
    for (std::size_t i = 0; i < count; ++i) {
      if (cells[i].text != nullptr) row.emplace_back(std::string(cells[i].text));
      else if (std::isfinite(cells[i].number)) row.emplace_back(cells[i].number);
      else row.emplace_back(std::numeric_limits<double>::quiet_NaN());
      if (const std::string why = fault_of_cell(spec_.tables[table], i, row.back()); !why.empty()) wrong_ = why + ".";
    }
    if (!wrong_.empty() || input_.replication != 0) return;
    news_->rows.push_back({table, std::move(row)});
  }
  // As in a process of its own: an error says why the call will fail, all else is for people.
  void told(std::int32_t severity, const char* pointer, const char* text) {
    const char* const words = text != nullptr ? text : "";
    if (severity >= ERGODE_ERROR) complaint_ = words;
    else if (input_.replication == 0)
      news_->told.push_back(sentence_of(plugin_, severity == ERGODE_INFO, pointer != nullptr ? pointer : "", words));
  }
  void depart(std::uint64_t job, const double* attributes) {
    news_->departures.push_back({job, attributes != nullptr});
    if (attributes != nullptr)
      news_->attributes.insert(news_->attributes.end(), attributes, attributes + spec_.attributes.size());
  }

  const FoundPlugin& plugin_;
  const PluginManifest::Station& spec_;
  const ergode_station& station_;
  PluginInput values_;
  std::string json_;
  std::uint64_t seed_;
  std::string name_;
  ergode_host host_{};
  ergode_input input_{};
  void* made_ = nullptr;
  StationNews* news_ = nullptr;  ///< of the call that goes on
  std::string complaint_, wrong_;
};

}  // namespace

std::string name_of_life(const std::string& station, std::uint64_t life) {
  return life == 0 ? station : station + ", life " + std::to_string(life);
}

bool runs_in_process(const FoundPlugin& plugin) {
  const char* const wanted = std::getenv("ERGODE_PLUGINS_IN_PROCESS");
  if (wanted == nullptr || !plugin.native() || !plugin.manifest->reentrant) return false;
  const std::vector<std::string> names = split(wanted, ',');
  return std::find(names.begin(), names.end(), plugin.name) != names.end();
}

std::unique_ptr<PluginStation> native_station(const FoundPlugin& plugin, PluginInput input, std::uint64_t seed,
                                              const std::string& name) {
  return std::make_unique<NativeStation>(plugin, std::move(input), seed, name);
}

}  // namespace ergode
