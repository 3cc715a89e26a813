#pragma once
#include "core/base/diagnostic.h"
#include "core/document/document.h"

namespace ergode {

/// Keys of a file that mean nothing here. They are kept on saving, but never silently:
/// * one that resembles a key of its place (a swapped, lost or doubled letter; the longer the word, the more) is an
///   error, whether that key is there too or not: DOC006, with a fix that renames it;
/// * any other is a warning, DOC006: a newer version or another program may have written it;
/// * null under a key that is known is an error, DOC002: absence is how "nothing" is written.
/// Elements of a kind that nobody knows are left alone. @param problems  gets at most 200 of them.
void check_keys(const Document& document, Diagnostics& problems);

}  // namespace ergode
