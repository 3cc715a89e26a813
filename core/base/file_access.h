#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ergode {

/// Which files a document may name: those in its own folder or below, and in folders that the user allowed or below.
/// A document may come from anybody; what it names is read and quoted with the rights of whoever opens it.
/// Permission is a question of names alone; whether the system lets this process read the file is asked when it is
/// opened.
struct FileAccess {
  std::string folder;  ///< Of the document's file, "." for the current one; empty: it is in no file yet.
  std::vector<std::string> allowed{};  ///< Folders that the user allowed besides.
};

/// Why a file is not read.
struct FileRefusal {
  std::string why;     ///< A sentence: the name seen and what was wanted.
  std::string folder;  ///< The folder that the user would have to allow; empty: that would not help.
};

/// Decides whether a file that a document names may be read, before anything of it is touched: links are followed and
/// `..` is resolved first. Relative names begin at the document's folder.
/// @returns the path to open, or the refusal. Whether there is such a file is not asked.
std::variant<std::filesystem::path, FileRefusal> permitted_file(const FileAccess& access, std::string_view name);

/// The folder of a file's path as FileAccess wants it: never empty.
std::string folder_of(const std::string& path);

/// The first few letters of foreign content, for a message: enough to find the place, too few to leak what it says.
/// Twelve bytes, cut between letters, and "..." where there is more.
std::string excerpt(std::string_view content);

}  // namespace ergode
