#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "core/base/diagnostic.h"
#include "core/plugin/plugin_failure.h"
#include "core/plugin/plugin_station.h"
#include "core/results/result_table.h"
#include "plugins/host/child_process.h"
#include "plugins/host/discovery.h"
#include "plugins/host/plugin_input.h"

namespace ergode {

/// What a simulator asks of another plugin (ergode_question).
struct TargetQuestion {
  std::string plugin, output, pointer;  ///< pointer: what of the asker's input asks
  Value parameters = Value::object();   ///< name -> number in its unit, truth value, or what --set takes
  Value files = Value::object();        ///< name -> path
  std::uint64_t seed = 0;
};

/// What a plugin tells while a call goes on. Indices are those of the manifest and in range, values finite, rows as
/// long as their table has columns.
class PluginListener {
 public:
  virtual ~PluginListener() = default;
  virtual void observe(std::size_t output, std::span<const double> values) = 0;
  virtual void row(std::size_t /*table*/, std::vector<ResultTable::Cell> /*cells*/) {}
  virtual void told(Diagnostic /*what*/) {}
  virtual void departed(std::uint64_t /*job*/, std::span<const double> /*attributes*/, bool /*changed*/) {}
  /// Only after offer_targets(). @throws PluginFailure, PluginGaveUp: that of the target, which the asker is told
  virtual double measure(const TargetQuestion& /*question*/) { return 0.0; }
};

/// PLG026: a sentence of a plugin for people. An error that ends no run is a warning.
/// @param pointer  into its own input; empty: nowhere
Diagnostic sentence_of(const FoundPlugin& plugin, bool is_info, std::string_view pointer, std::string_view text);

/// What is wrong with a cell of a row: "gave a row of ends with the text 'x' in column Served, which holds numbers".
/// Empty: nothing; a number that is none fits anywhere.
std::string fault_of_cell(const PluginTable& table, std::size_t column, const ResultTable::Cell& cell);

/// A plugin in a process of its own: the messages of plugins/README.md, from this side. Nothing that it does there
/// reaches this process but as a PluginFailure; afterwards the process is gone, and the next call starts another.
///
/// One thread at a time.
class PluginProcess {
 public:
  enum class Capability { simulator, station };
  struct Limits {
    double time_s = 60.0;                             ///< for one call
    std::uint64_t bytes = std::uint64_t{256} << 20U;  ///< that one call may say
  };

  /// @param plugin  ready; outlives this object
  PluginProcess(const FoundPlugin& plugin, Capability capability, PluginInput input, Limits limits);

  /// Asked ten times a second while the plugin is waited for, its start included; true: it is told, has half a second
  /// to come back, and the call throws PluginGaveUp.
  void heed(std::function<bool()> give_up) { give_up_ = std::move(give_up); }

  /// From the next start on it may ask for measurements of others. Of simulators.
  void offer_targets() { offers_targets_ = true; }
  /// Other parameters from the next call on. A library is told and goes on; whatever else there is starts anew.
  void give(PluginInput input);

  /// Starts it when it is not running, and waits until it is ready. @throws PluginFailure, PluginGaveUp; as all below
  void start();
  bool running() const { return child_.running(); }

  /// One replication.
  void run(std::uint64_t replication, std::uint64_t seed, PluginListener& listener);

  /// @name Of stations: times in seconds, `next` infinity for none
  /// @{
  void create(std::uint64_t replication, std::uint64_t seed, PluginListener& listener);
  double arrive(double now, std::uint64_t job, std::span<const double> attributes, PluginListener& listener);
  double advance(double now, PluginListener& listener);
  void finish(double now, PluginListener& listener);
  /// @}

  /// Ends the process; the next call starts another.
  void stop() { child_.finish(0.2); }
  /// From the next call on, how long one may take [s].
  void limit(double time_s) { limits_.time_s = time_s; }
  /// How long the last start took [s].
  double start_s() const { return start_s_; }

 private:
  [[noreturn]] void fail(const char* code, const std::string& what, const std::string& hint = {});
  [[noreturn]] void gone();
  void say(const std::string& line);
  void expect_silence();
  /// Hears messages until one says that the call is over, and returns that.
  Value answer(PluginListener* listener);
  void hear(const Value& message, const std::string& what, PluginListener* listener);
  double next_time(double now, PluginListener* listener);
  void launch();
  void introduce();
  /// @returns how long the target was waited for [s]
  double ask_target(const Value& message, PluginListener* listener, bool gives_up);
  [[noreturn]] void fail_for_target(const std::string& own_words);
  const std::vector<PluginOutput>& outputs() const;
  std::size_t index_of(const Value& message, const char* key, std::size_t size,
                       const std::function<std::string(std::size_t)>& name);

  const FoundPlugin& plugin_;
  Capability capability_;
  PluginInput input_;
  Limits limits_;
  ChildProcess child_;
  std::string doing_;  ///< "in replication 17 (seed 123)"
  double start_s_ = 0.0;
  std::vector<double> values_;
  std::string line_;
  std::function<bool()> give_up_;  ///< empty: nobody does
  bool offers_targets_ = false;
  bool introduced_ = false;              ///< it has the input
  std::optional<Diagnostic> of_target_;  ///< the last failure of a target in this call
  std::string told_of_target_;           ///< and what the asker was told of it
};

}  // namespace ergode
