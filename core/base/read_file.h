#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/diagnostic.h"

namespace ergode {

/// No file of a model, of data or of another program is larger in practice; more is refused before it is read.
inline constexpr std::size_t largest_file = std::size_t{256} << 20U;

/// The bytes of a regular file, or of standard input when the path is "-". Folders, devices, pipes and sockets are
/// refused without waiting for them, and the size is known before anything is read.
/// @param most  bytes; standard input has the same limit.
/// @returns the bytes, or FMT000 (cannot be read, with the system's reason), FMT014 (no regular file) or FMT003 (too
///          large), each with the path.
std::variant<std::string, Diagnostic> read_bytes(const std::string& path, std::size_t most = largest_file);

/// The same for a text, which must be UTF-8: else FMT015 with line, column and byte. A byte order mark is taken off.
/// Every text from outside enters here (or through xml_as_utf8, which knows more encodings), and what is behind need
/// not ask again.
std::variant<std::string, Diagnostic> read_text(const std::string& path, std::size_t most = largest_file);

/// FMT015 when the text is no UTF-8. @param name  of the file, or what else it is.
std::optional<Diagnostic> encoding_defect(std::string_view text, const std::string& name);

}  // namespace ergode
