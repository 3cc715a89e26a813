#include <clocale>
#include <iostream>

#include "app/cli/commands.h"
#include "core/base/text.h"
#include "core/base/text_place.h"

namespace {

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
    std::string text = sub->get_description();
    if (const auto last = text.rfind("\n\n"); last != std::string::npos) text = text.substr(last + 2);
    if (const auto stop = text.find(". "); stop != std::string::npos) text = text.substr(0, stop + 1);
    std::string line = "  " + sub->get_name();
    line.resize(std::max<std::size_t>(line.size() + 2, 14), ' ');
    return line + text.substr(0, text.find('\n')) + "\n";
  }
};

}  // namespace

int main(int argc, char** argv) {
  using namespace ergode::cli;
  std::setlocale(LC_ALL, "C");
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
  add_validate(app, chosen);
  add_results(app, chosen);
  add_export(app, chosen);
  add_report(app, chosen);
  add_hash(app, chosen);
  add_new(app, chosen);
  add_import(app, chosen);
  add_importance(app, chosen);
  add_solvers(app, chosen);
  // `ergode help run` is what many people type.
  std::string topic;
  CLI::App* const help = app.add_subcommand("help", "Help of a subcommand.");
  help->add_option("COMMAND", topic);
  try {
    app.parse(argc, argv);
    if (help->parsed()) {
      CLI::App* sub = topic.empty() ? &app : nullptr;
      for (CLI::App* known : app.get_subcommands([](CLI::App*) { return true; }))
        if (known->get_name() == topic) sub = known;
      std::cout << (sub != nullptr ? sub : &app)->help();
      return sub != nullptr ? ok : usage;
    }
    if (!chosen) {
      std::cout << app.help();
      return ok;
    }
    return chosen();
  } catch (const CLI::CallForHelp&) {
    for (CLI::App* sub : app.get_subcommands()) return std::cout << sub->help(), ok;
    std::cout << app.help();
    return ok;
  } catch (const CLI::CallForVersion&) {
    std::cout << "ergode " << ERGODE_VERSION << "\n";
    return ok;
  } catch (const CLI::ParseError& error) {
    std::cerr << "ergode: " << error.what() << "\n";
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty()) {
      std::vector<std::string> names;
      for (const CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; })) names.push_back(sub->get_name());
      const std::string near = ergode::nearest_word(argv[1], names);
      if (!near.empty() && near != argv[1]) std::cerr << "Did you mean `ergode " << near << "`?\n";
    }
    std::cerr << "See `ergode --help`.\n";
    return usage;
  } catch (const std::exception& error) {
    std::cerr << "ergode: " << error.what() << "\n";
    return run_error;
  }
}
