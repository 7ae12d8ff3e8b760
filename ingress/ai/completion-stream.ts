import { once } from 'node:events'
import type { Context } from 'koa'

/** Milliseconds of silence after which a comment is sent. Proxies close idle connections, often after 30 s. */
const beatMs = 15_000

/** Milliseconds that a client may read nothing while more data waits for it. */
const slowestMs = 60_000

export interface CompletionStream extends AsyncDisposable {
  /** Resolves when the buffer has room. Disconnects a client that does not read for a minute. */
  write(events: string): Promise<void>
}

/**
 * Opens a stream of events. Uses chunked encoding (RFC 9112 §7.1), so that a client can detect a stream that ends with
 * this process.
 */
export function openCompletionStream(ctx: Context): CompletionStream {
  const { res } = ctx
  // Bypasses Koa, which would buffer unread data of a slow client again.
  ctx.respond = false
  ctx.status = 200
  ctx.set('content-type', 'text/event-stream; charset=utf-8')
  ctx.set('cache-control', 'no-store')
  // Disables the response buffer of proxies.
  ctx.set('x-accel-buffering', 'no')
  res.flushHeaders()
  const beating = setInterval(() => {
    if (!res.writableNeedDrain && !res.destroyed) res.write(':\n\n')
  }, beatMs).unref()
  return {
    async write(events) {
      if (res.destroyed || res.write(events)) return
      // Aborts the listener when the write is no longer awaited.
      const over = new AbortController()
      const signal = AbortSignal.any([AbortSignal.timeout(slowestMs), over.signal])
      const left = once(res, 'close', { signal })
      left.catch(() => {})
      await Promise.race([once(res, 'drain', { signal }), left]).catch(() => res.destroy())
      over.abort()
    },
    async [Symbol.asyncDispose]() {
      clearInterval(beating)
      res.end()
    },
  }
}
