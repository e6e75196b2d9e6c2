#pragma once

#include <zlib.h>

/// Begins to decompress gzip data. `inflateInit2` is a macro, which Swift cannot call.
static inline int czlib_inflate_gzip_begin(z_streamp stream) { return inflateInit2(stream, MAX_WBITS + 16); }

/// Begins to compress into gzip data. `deflateInit2` is a macro, which Swift cannot call.
static inline int czlib_deflate_gzip_begin(z_streamp stream) {
  return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
}
