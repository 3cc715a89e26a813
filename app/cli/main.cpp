#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>

#include "app/cli/commands.h"
#include "core/base/freed_memory.h"
#include "core/base/text.h"
#include "core/base/text_place.h"

namespace {

using namespace ergode;
using namespace ergode::cli;

constexpr const char* footer = R"(Exit codes:
  0 done    1 run error    2 usage    3 model invalid    4 precision not reached, or partial results
  5 comparison out of tolerance    130 interrupted (partial results are kept)

Results go to standard output, messages and progress to standard error.)";

constexpr const char* examples = R"(Examples:
  ergode run plant.ergode                                simulate, print a table, keep the run
  ergode run plant.ergode --replications 1e6 --json      one JSON document on standard output
  ergode run plant.ergode --set "mu = 2e-4 /h" --solver ccf-closed-form
  ergode validate plant.ergode                           check without running
  ergode report plant.ergode --out report.html           report of the latest run
  ergode run machine.scxml --events "t1,t2@+100ms"       what states a chart goes through
)";

/// Lists subcommands by one sentence each; their examples are for their own help.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_subcommand(const CLI::App* sub) const override {
    std::string line = "  " + sub->get_name();
    line.resize(std::max<std::size_t>(line.size() + 2, 14), ' ');
    return line + summary(*sub) + "\n";
  }
};

/// What was printed has to have arrived: a full disk behind a redirection must not look like success.
int delivered(int code) {
  errno = 0;
  const bool arrived = std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (arrived) return code;
  if (errno == 0) {
    // It was refused long ago, in the middle of much output, and the reason is forgotten: a blank is refused alike.
    std::clearerr(stdout);
    if (std::fputc(' ', stdout) != EOF) std::fflush(stdout);
  }
  const int reason = errno;
  complain("RES001", std::string("Standard output cannot be written") +
                         (reason != 0 ? std::string(": ") + std::strerror(reason) : std::string()) + ".");
  return code == ok ? run_error : code;
}

/// An empty value is a slip, mostly of a variable that a script never set; nobody means the default by it.
void refuse_empty_values(CLI::App& command) {
  for (CLI::Option* const option : command.get_options())
    if (option->get_items_expected_max() > 0)
      option->check([](const std::string& value) {
        return value.empty() ? std::string("the value is empty; wanted one, or leave the option out") : std::string();
      });
}

/// The subcommand called `name`, or a message with the nearest.
const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (const CLI::App* const known : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (known->get_name() == name) return known;
    names.push_back(known->get_name());
  }
  // What other tools call it.
  const std::map<std::string, std::string> elsewhere = {
      {"check", "validate"}, {"lint", "validate"}, {"simulate", "run"}, {"solve", "run"}};
  const auto known = elsewhere.find(name);
  const std::string near = known != elsewhere.end() ? known->second : nearest_word(name, names);
  std::error_code unknown;
  const bool file = std::filesystem::exists(name, unknown) || std::filesystem::path(name).has_extension();
  complain("RUN010", "There is no command \"" + name + "\".",
           file           ? "To run a model, write `ergode run " + name + "`."
           : near.empty() ? "`ergode --help` lists them."
                          : "Did you mean `ergode " + near + "`?");
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  std::setlocale(LC_ALL, "C");
  ergode::keep_freed_memory();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error with a message, not the end
  // What is typed enters here: names of files too must be text, because messages, reports and JSON show them.
  for (int i = 1; i < argc; ++i)
    if (const auto bad = ergode::invalid_utf8(argv[i])) {
      std::cerr << "ergode: argument " << i << ", \"" << ergode::quotable(argv[i]) << "\", is not UTF-8 at byte "
                << *bad << ".\n";
      return usage;
    }
  CLI::App app(
      std::string(examples) +
          "\nErgode runs drawn stochastic models: statecharts, common-cause failures, exact and Monte Carlo solvers.",
      "ergode");
  app.set_version_flag("--version", std::string("ergode ") + ERGODE_VERSION);
  app.set_help_flag("-h,--help", "Print this help.");
  app.footer(footer);
  app.require_subcommand(0, 1);
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_formatter()->column_width(30);
  Action chosen;
  add_run(app, chosen);
  add_sweep(app, chosen);
  add_validate(app, chosen);
  add_results(app, chosen);
  add_export(app, chosen);
  add_report(app, chosen);
  add_hash(app, chosen);
  add_new(app, chosen);
  add_import(app, chosen);
  add_importance(app, chosen);
  add_ccf(app, chosen);
  add_fit(app, chosen);
  add_devices(app, chosen);
  add_plugins(app, chosen);
  add_solvers(app, chosen);
  add_manual(app, chosen);
  // `ergode help run` is what many people type.
  std::string topic;
  CLI::App* const help = app.add_subcommand("help", "Help of a command, or of the program.");
  help->add_option("COMMAND", topic);
  const auto every = app.get_subcommands([](CLI::App*) { return true; });
  for (CLI::App* sub : every) add_talk_flags(*sub), refuse_empty_values(*sub);
  // A wrong name is what is wrong, whatever else stands on the line: `ergode chekc --help` is no request for help.
  if (argc > 1 && argv[1][0] != '-' && *argv[1] != '\0' && find_command(app, argv[1]) == nullptr) return usage;
  try {
    app.parse(argc, argv);
    if (help->parsed()) {
      // App::help() of the whole would be that of the command `help`, because that is the one given.
      const CLI::App* sub = topic.empty() ? nullptr : find_command(app, topic);
      if (!topic.empty() && sub == nullptr) return usage;
      std::cout << (sub != nullptr ? sub->help()
                                   : app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal));
      return delivered(ok);
    }
    if (!chosen) {
      std::cout << app.help();
      return delivered(ok);
    }
    return delivered(chosen());
  } catch (const CLI::CallForHelp&) {
    const auto parsed = app.get_subcommands();
    std::cout << (parsed.empty() ? app.help() : parsed.front()->help());
    return delivered(ok);
  } catch (const CLI::CallForVersion&) {
    std::cout << "ergode " << ERGODE_VERSION << "\n";
    return delivered(ok);
  } catch (const CLI::ParseError& error) {
    complain("RUN010", error.what(), "See `ergode --help`.");
    return usage;
  } catch (const std::exception& error) {
    complain("RUN001", error.what());
    return run_error;
  }
}
