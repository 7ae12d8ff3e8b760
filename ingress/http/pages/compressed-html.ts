import { Readable } from 'node:stream'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import type { Context } from 'koa'

/** Brotli level 4 is as fast as gzip, and documentation pages become about 15 % smaller. */
const brotliParams = { [constants.BROTLI_PARAM_QUALITY]: 4 }

/**
 * Sends an HTML page, compressed if the client accepts Brotli or gzip. The compression runs on the threads of zlib.
 * Other sites cannot learn secrets from the size of a page (BREACH), because session cookies are `SameSite=Strict`.
 */
export function sendCompressedHtml(ctx: Context, text: string): void {
  ctx.vary('accept-encoding')
  // Browsers list gzip first, with the same preference.
  const encoding = ctx.acceptsEncodings('br') || ctx.acceptsEncodings('gzip')
  if (!encoding) {
    ctx.body = text
    return
  }
  ctx.set('content-encoding', encoding)
  const compressor = encoding === 'br' ? createBrotliCompress({ params: brotliParams }) : createGzip()
  ctx.body = Readable.from([text]).pipe(compressor)
  ctx.type = 'text/html; charset=utf-8'
}
