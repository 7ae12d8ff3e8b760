import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import { isKnown, tagOf } from '../etag.ts'

const zip = promisify(gzip)

/** Seconds for which a document is not asked for again. */
const maxAge = 300

interface CompressedDocument {
  tag: string
  text: string
  zipped: Promise<Buffer>
}

/**
 * Makes the function that sends a JSON document that is the same for everybody, compressed where that is understood and not at
 * all to who has it. `textOf` makes it once for each name and origin, of which the last few are kept.
 */
export function documentSender(textOf: (origin: string, name?: string) => string) {
  const packed = new LRUCache<string, CompressedDocument>({ max: 8 })

  function pack(origin: string, name: string | undefined): CompressedDocument {
    const text = textOf(origin, name)
    return { text, tag: tagOf(text), zipped: zip(text) }
  }

  return async (ctx: Context, origin: string, name?: string): Promise<void> => {
    const key = `${name ?? ''} ${origin}`
    const made = packed.get(key) ?? pack(origin, name)
    packed.set(key, made)
    ctx.type = 'application/json; charset=utf-8'
    ctx.set('cache-control', `public, max-age=${maxAge}`)
    ctx.vary('accept-encoding')
    const zips = ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
    // Weak, as it names the document, compressed or not (RFC 9110 §8.8.3).
    ctx.set('etag', `W/${made.tag}`)
    if (isKnown(ctx.get('if-none-match'), made.tag)) {
      ctx.status = 304
      return
    }
    if (zips) ctx.set('content-encoding', 'gzip')
    ctx.body = zips ? await made.zipped : made.text
  }
}
