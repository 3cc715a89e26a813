#pragma once
#include "core/catalogue/catalogue.h"

namespace ergode::test {

/// A small notation of its own, known to nobody else: sources emit tokens at a rate, through pipes, into buckets. An
/// expression reads `NAME.level` (tokens in the bucket) and `NAME.spilt` (tokens that found it full). A token that
/// overflows raises the bucket's event; a bucket is emptied the moment its condition comes to hold.
/// Everything in it goes through public headers.
///
/// What its diagrams look like and what the kinds and properties are, for the catalogue.
NotationSpec token_bucket_notation();
/// What its diagrams mean. The notation above carries it; the caller owns what it gets here.
std::unique_ptr<NotationLowering> token_lowering();

}  // namespace ergode::test
