#include "plugins/support/input_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace plugin_support {
namespace {

std::string line_and_column(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, std::min(at, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t last = before.rfind('\n');
  const std::size_t column = before.size() - (last == std::string_view::npos ? 0 : last + 1) + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column) + ": ";
}

}  // namespace

std::string regular_file_content(const std::string& path, std::uint64_t most_bytes) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) throw std::invalid_argument("there is no such file");
  if (status.type() != fs::file_type::none && status.type() != fs::file_type::regular) {
    const char* what = fs::is_directory(status) ? "a folder" : fs::is_fifo(status) ? "a pipe" : "a device";
    throw std::invalid_argument("it is " + std::string(what) + "; wanted a regular file");
  }
  const auto too_large = [most_bytes](std::uint64_t seen) {
    throw std::invalid_argument("it has " + std::to_string(seen) + " bytes or more; wanted at most " +
                                std::to_string(most_bytes));
  };
  if (const std::uintmax_t size = fs::file_size(path, error); !error && size > most_bytes) too_large(size);
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::invalid_argument("it cannot be read");
  // It may grow while it is read, and files of the system do not know their size.
  std::string out;
  std::vector<char> part(std::size_t{1} << 16);
  while (in.read(part.data(), static_cast<std::streamsize>(part.size())), in.gcount() > 0) {
    out.append(part.data(), static_cast<std::size_t>(in.gcount()));
    if (out.size() > most_bytes) too_large(out.size());
  }
  if (in.bad()) throw std::invalid_argument("it cannot be read to its end");
  return out;
}

std::string path_beside(const std::string& file, const std::string& named) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(file, error).parent_path(), error);
  const fs::path path = fs::weakly_canonical(folder / named, error);
  if (error) throw std::invalid_argument("\"" + named + "\" cannot be followed; wanted a file");
  const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  if (fs::path(named).is_absolute() || end != folder.end())
    throw std::invalid_argument("\"" + named +
                                "\" lies outside the folder of the file that names it; wanted a file in "
                                "it or below, named from there");
  return path.string();
}

nlohmann::json parse_json_file(std::string_view text, std::size_t most_depth) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      else if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > most_depth)
        throw std::invalid_argument(line_and_column(text, i) + "lists and objects stand more than " +
                                    std::to_string(most_depth) + " deep in each other; wanted at most that");
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& bad) {
    throw std::invalid_argument(line_and_column(text, bad.byte > 0 ? bad.byte - 1 : 0) + "it is no JSON");
  } catch (const nlohmann::json::exception&) {
    throw std::invalid_argument("a number is too large; wanted JSON");
  }
}

std::string seen_json(const nlohmann::json& value) {
  constexpr std::size_t most = 80;
  std::string out = value.dump(-1, ' ', /*ensure_ascii=*/true);
  if (out.size() > most) out = out.substr(0, most) + "...";
  return out;
}

}  // namespace plugin_support
