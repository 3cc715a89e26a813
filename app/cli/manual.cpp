// The man page and the shells' completions, made of the very table that parses the command line and prints its help.
#include <algorithm>
#include <iostream>

#include "app/cli/commands.h"
#include "core/base/text.h"

namespace ergode::cli {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

/// Its options but those that only whoever looks into the program needs.
std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return !option->get_group().empty(); });
}

/// Its options with a dash, as "-o", "--out": what a shell can complete.
std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> out;
  for (const CLI::Option* option : options_of(command)) {
    for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
    for (const std::string& name : option->get_snames()) out.push_back("-" + name);
  }
  return out;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

/// The sentences after the examples, and the examples.
struct Description {
  std::string examples, text;
};
Description description_of(const CLI::App& command) {
  const std::string all = command.get_description();
  const auto end = all.find("\n\n");
  if (!all.starts_with("Example") || end == std::string::npos) return {"", all};
  const auto first = all.find('\n');
  return {all.substr(first + 1, end - first - 1), all.substr(end + 2)};
}

}  // namespace

std::string summary(const CLI::App& command) {
  std::string out = description_of(command).text;
  std::replace(out.begin(), out.end(), '\n', ' ');
  const auto stop = out.find(". ");
  return stop == std::string::npos ? out : out.substr(0, stop + 1);
}

namespace {

// ---- man page (groff_man(7))

/// A line of roff that says just this: nothing in it is a request or an escape.
std::string roff(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else out += c;
    line_begins = c == '\n';
  }
  return out;
}

std::string option_roff(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames())
    names += (names.empty() ? "" : ", ") + ("\\fB" + roff("-" + name) + "\\fR");
  for (const std::string& name : option.get_lnames())
    names += (names.empty() ? "" : ", ") + ("\\fB" + roff("--" + name) + "\\fR");
  if (names.empty()) names = "\\fI" + roff(option.get_name()) + "\\fR";
  else if (takes_value(option)) names += " \\fI" + roff(option.get_type_name()) + "\\fR";
  return ".TP\n" + names + "\n" + roff(option.get_description()) + "\n";
}

std::string man_page(const CLI::App& app) {
  std::string out = ".TH ERGODE 1 \"\" \"ergode " ERGODE_VERSION "\" \"User commands\"\n";
  out += ".SH NAME\nergode \\- run drawn stochastic models\n";
  out += ".SH SYNOPSIS\n\\fBergode\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR ...] [\\fIFILE\\fR ...]\n";
  const Description whole = description_of(app);
  out += ".SH DESCRIPTION\n" + roff(whole.text) + "\n.SH COMMANDS\n";
  for (const CLI::App* command : commands_of(app)) {
    const Description own = description_of(*command);
    out += ".SS \"ergode " + command->get_name() + "\"\n" + roff(own.text) + "\n";
    for (const CLI::Option* option : options_of(*command))
      if (option->get_name() != "--help") out += option_roff(*option);
    if (!own.examples.empty()) out += ".PP\nExamples:\n.PP\n.nf\n" + roff(own.examples) + "\n.fi\n";
  }
  return out + ".SH NOTES\n.nf\n" + roff(app.get_footer()) + "\n.fi\n";
}

// ---- completions

std::string bash(const CLI::App& app) {
  std::vector<std::string> names;
  std::string cases;
  for (const CLI::App* command : commands_of(app)) {
    names.push_back(command->get_name());
    cases += "    " + command->get_name() + ") words=\"" + joined(flags_of(*command)) + "\" ;;\n";
  }
  return "# bash completion of ergode " ERGODE_VERSION
         "\n_ergode() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} words\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    COMPREPLY=($(compgen -W \"" +
         joined(names) + " --help --version\" -- \"$word\"))\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n" + cases +
         "    *) words= ;;\n  esac\n"
         "  case $word in\n    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n  esac\n}\n"
         "complete -o default -F _ergode ergode\n";
}

/// For single quotes of a shell, within brackets of zsh.
std::string first_sentence(const std::string& text) {
  std::string out;
  for (const char c : text.substr(0, text.find(". "))) {
    if (c == '\'') out += "\xe2\x80\x99";
    else if (c == '[' || c == ']') out += c == '[' ? '(' : ')';
    else if (c == ':') out += ' ';
    else if (c == '\n') out += ' ';
    else if (c == '\\') out += "\\\\";
    else out += c;
  }
  return out;
}

std::string zsh(const CLI::App& app) {
  std::string out = "#compdef ergode\n# zsh completion of ergode " ERGODE_VERSION
                    "\n_ergode() {\n  local -a commands\n  commands=(\n";
  for (const CLI::App* command : commands_of(app))
    out += "    '" + command->get_name() + ":" + first_sentence(description_of(*command).text) + "'\n";
  out += "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n  case $words[2] in\n";
  for (const CLI::App* command : commands_of(app)) {
    out += "    " + command->get_name() + ") _arguments";
    for (const CLI::Option* option : options_of(*command))
      for (const std::string& name : option->get_lnames())
        out += " \\\n      '--" + name + "[" + first_sentence(option->get_description()) + "]" +
               (takes_value(*option) ? ":value:_files" : "") + "'";
    out += " \\\n      '*:file:_files' ;;\n";
  }
  return out + "  esac\n}\n_ergode \"$@\"\n";
}

std::string fish(const CLI::App& app) {
  std::string out = "# fish completion of ergode " ERGODE_VERSION "\n";
  for (const CLI::App* command : commands_of(app)) {
    out += "complete -c ergode -n __fish_use_subcommand -f -a " + command->get_name() + " -d '" +
           first_sentence(description_of(*command).text) + "'\n";
    for (const CLI::Option* option : options_of(*command)) {
      if (option->get_lnames().empty()) continue;
      out += "complete -c ergode -n '__fish_seen_subcommand_from " + command->get_name() + "'";
      for (const std::string& name : option->get_lnames()) out += " -l " + name;
      out +=
          std::string(takes_value(*option) ? " -r" : "") + " -d '" + first_sentence(option->get_description()) + "'\n";
    }
  }
  return out;
}

}  // namespace

void add_manual(CLI::App& app, Action& chosen) {
  CLI::App* manual = app.add_subcommand("manual", R"(Examples:
  ergode manual | man -l -
  ergode manual > ~/.local/share/man/man1/ergode.1

Prints the man page of all commands and options.)");
  manual->callback([&app, &chosen] { chosen = [&app] { return std::cout << man_page(app), ok; }; });
  auto shell = std::make_shared<std::string>();
  CLI::App* completion = app.add_subcommand("completion", R"(Examples:
  source <(ergode completion bash)
  ergode completion zsh > ~/.zfunc/_ergode
  ergode completion fish > ~/.config/fish/completions/ergode.fish

Prints what a shell needs to complete commands and options.)");
  completion->add_option("SHELL", *shell, "bash, zsh or fish.")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->callback([&app, shell, &chosen] {
    chosen = [&app, shell] {
      std::cout << (*shell == "bash" ? bash(app) : *shell == "zsh" ? zsh(app) : fish(app));
      return ok;
    };
  });
}

}  // namespace ergode::cli
