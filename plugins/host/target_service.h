#pragma once
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/base/value.h"
#include "core/document/document.h"
#include "plugins/host/plugin_process.h"

namespace ergode {

/// Answers what a simulator asks of others (PluginListener::measure): each target is a plugin's simulator in a process
/// of its own, its parameters checked as those of `ergode plugins run`, and one replication of it is run. A target has
/// no targets. What was answered is kept while this lives, whatever the seed where the target says that it is
/// deterministic.
///
/// One thread at a time; for one asker.
class TargetService {
 public:
  /// @param asker    its name, for messages
  /// @param give_up  as PluginProcess::heed()
  TargetService(std::string asker, std::function<bool()> give_up);
  ~TargetService();

  /// The output of replication 0, of observations their mean; in its unit. O(1) where it was answered before.
  /// @throws PluginFailure  PLG010 there is no such plugin; PLG011 it has no simulator; PLG033 the question is none: an
  ///                        unknown parameter or output, a value that is refused, a file that cannot be read, nothing
  ///                        observed; what the target did (plugin_failure.h). Each names both plugins.
  /// @throws PluginGaveUp
  double measure(const TargetQuestion& question);

  /// As SimulatorNews::sources: plugins that were asked, files that they were given.
  const std::map<std::string, std::string>& sources() const { return sources_; }
  /// What targets told people so far, once each.
  const Diagnostics& told() const { return told_; }

 private:
  struct Target;
  Target& target(const std::string& name);
  PluginInput input_of(const Target& target, const TargetQuestion& question);
  void note_file(const std::string& plugin, const std::string& path);
  std::vector<double> run(Target& target, const TargetQuestion& question, PluginInput input);
  [[noreturn]] static void refuse(const TargetQuestion& question, const std::string& what,
                                  const std::string& hint = {});

  std::string asker_;
  std::function<bool()> give_up_;
  std::map<std::string, std::unique_ptr<Target>> targets_;
  std::map<std::string, std::string> sources_;
  std::set<std::string> noted_;                         ///< paths
  std::map<std::string, std::vector<double>> answers_;  ///< by question: all outputs
  Diagnostics told_;
};

}  // namespace ergode
