#pragma once
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/base/unit.h"
#include "core/study/run_request.h"

namespace ergode {

/// One option of a run: what its flag, its field in the form, its check, its row in the manual and its place in the
/// record are made from. Functions are called by any thread and own what they need.
/// In a request an option that was never set is its default; set() with the default's text takes it out again, so that
/// two requests that mean the same are the same.
struct RunOption {
  std::string name;   ///< "replications": --replications
  std::string value;  ///< What stands after it, for the manual: "N"
  std::string default_text;
  std::string help;
  std::string wanted = {};  ///< "a whole number >= 0"
  /// Takes over a text; false: it is no such value, and the request may be spoilt.
  std::function<bool(RunRequest&, std::string_view)> set = {};
  /// What the request says, as set() reads it.
  std::function<std::string(const RunRequest&)> get = {};
  std::string only_for = {};  ///< "--variance-reduction splitting"; empty: for every request
  std::function<bool(const RunRequest&)> applies = {};
  bool sampling = false;     ///< means something only for solvers that sample
  bool integration = false;  ///< means something only where something is integrated
  bool repeats = false;      ///< Its flag may be given several times: the texts are joined by commas.
};

/// A whole number >= 0, also as 1e6 or 2.5e3, at most 9e15 unless in plain digits, where all 64 bits count; nothing:
/// the text is none.
std::optional<std::uint64_t> whole_number(std::string_view text);
/// "a, b or c"
/// Empty for none.
std::string listed_words(const std::vector<std::string>& words);
/// Ends excluded: for probabilities and confidences.
inline bool between_0_and_1(double x) { return x > 0 && x < 1; }

/// The options of one solver as a table over a struct of settings with their defaults. The request keeps the texts, in
/// RunRequest::options; the solver reads its settings from them. `Settings` can be made without arguments, which gives
/// the defaults. Made once, then const and for any thread.
///
/// A solver keeps its table in a function, gives options() to whoever lists, checks or documents them, and reads its
/// settings at the beginning of a run. Adding an option is one line: flag, form, check, manual and record follow.
///
///     OptionTable<Settings> table;
///     table.number({"step", "H", "0.1", "Length of a step."}, "a number > 0", positive, &Settings::step);
///     const Settings settings = table.read(request);
template <class Settings>
class OptionTable {
 public:
  using Set = std::function<bool(Settings&, std::string_view)>;
  using Get = std::function<std::string(const Settings&)>;

  /// Any option.
  /// @param wanted  what a value must be, for the message where `set` refuses: "a whole number >= 0"
  /// @param set     takes a text over into the settings, false: it is no such value
  /// @param get     the settings as a text that `set` takes
  OptionTable& add(RunOption head, std::string wanted, Set set, Get get) {
    head.wanted = std::move(wanted);
    rows_.push_back({std::move(head), std::move(set), std::move(get)});
    return *this;
  }
  /// One of several words; any text when there are none.
  /// @param head   name, value, default and help; what it accepts is added here
  /// @param field  of the settings, in which the word is kept as it was written
  OptionTable& word(RunOption head, std::string Settings::*field, std::vector<std::string> words = {}) {
    const std::string wanted = words.empty() ? "a text" : listed_words(words);
    return add(
        std::move(head), wanted,
        [field, words](Settings& s, std::string_view text) {
          if (!words.empty() && std::find(words.begin(), words.end(), text) == words.end()) return false;
          s.*field = std::string(text);
          return true;
        },
        [field](const Settings& s) { return s.*field; });
  }
  /// A number for which `good` holds, in any form that parse_number() reads; `field` is in the unit that the help says.
  OptionTable& number(RunOption head, std::string wanted, std::function<bool(double)> good, double Settings::*field) {
    return add(
        std::move(head), std::move(wanted),
        [field, good = std::move(good)](Settings& s, std::string_view text) {
          const auto value = parse_number(text);
          if (!value || !good(*value)) return false;
          s.*field = *value;
          return true;
        },
        [field](const Settings& s) { return number_text(s.*field); });
  }
  /// A whole number from `least` to `greatest`, as whole_number() reads it.
  OptionTable& count(RunOption head, std::string wanted, std::uint64_t least, std::uint64_t greatest,
                     std::uint64_t Settings::*field) {
    return add(
        std::move(head), std::move(wanted),
        [field, least, greatest](Settings& s, std::string_view text) {
          const auto value = whole_number(text);
          if (!value || *value < least || *value > greatest) return false;
          s.*field = *value;
          return true;
        },
        [field](const Settings& s) { return std::to_string(s.*field); });
  }
  /// The words on and off.
  OptionTable& on_off(RunOption head, bool Settings::*field) {
    return add(
        std::move(head), "on or off",
        [field](Settings& s, std::string_view text) {
          s.*field = text == "on";
          return s.*field || text == "off";
        },
        [field](const Settings& s) { return std::string(s.*field ? "on" : "off"); });
  }
  /// The option added last means something only for such requests.
  /// @param what  the option that makes it mean something, as typed: "--variance-reduction splitting"
  OptionTable& only_for(std::string what, std::function<bool(const RunRequest&)> applies) {
    rows_.back().head.only_for = std::move(what), rows_.back().head.applies = std::move(applies);
    return *this;
  }

  /// What the request says of them; defaults where it says nothing. Texts were checked when they were set. O(options).
  Settings read(const RunRequest& request) const {
    Settings out;
    for (const Row& row : rows_)
      if (const auto given = request.options.find(row.head.name); given != request.options.end())
        row.set(out, given->second);
    return out;
  }

  /// For Solver::options().
  /// Each owns its row: the table may go. O(options), with their texts.
  std::vector<RunOption> options() const {
    std::vector<RunOption> out;
    for (const Row& row : rows_) {
      RunOption option = row.head;
      // A request that says what is so anyway says nothing: it is the same request.
      option.set = [row](RunRequest& request, std::string_view text) {
        Settings settings;
        const std::string fresh = row.get(settings);
        if (!row.set(settings, text)) return false;
        if (std::string kept = row.get(settings); kept != fresh) request.options[row.head.name] = std::move(kept);
        else request.options.erase(row.head.name);
        return true;
      };
      option.get = [row](const RunRequest& request) {
        const auto given = request.options.find(row.head.name);
        return given != request.options.end() ? given->second : row.get(Settings{});
      };
      out.push_back(std::move(option));
    }
    return out;
  }

 private:
  struct Row {
    RunOption head;
    Set set;
    Get get;
  };
  std::vector<Row> rows_;
};

}  // namespace ergode
