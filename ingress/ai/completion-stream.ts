import { once } from 'node:events'
import type { Context } from 'koa'

/**
 * Interval of comments in milliseconds. A comment is sent after this silence, because proxies close idle connections,
 * often after 30 s.
 */
const beatMs = 15_000

/** Timeout in milliseconds for a client that reads nothing although data is waiting. */
const slowestMs = 60_000

export interface CompletionStream extends AsyncDisposable {
  /** Resolves when the buffer has room. Disconnects a client that reads nothing for a minute. */
  write(events: string): Promise<void>
}

/**
 * Opens a stream of events. Uses chunked encoding (RFC 9112 §7.1). If this process exits, the client can detect that
 * the stream is incomplete.
 */
export function openCompletionStream(ctx: Context): CompletionStream {
  const { res } = ctx
  // Bypasses Koa, because it would add another buffer for data that a slow client has not read.
  ctx.respond = false
  ctx.status = 200
  ctx.set('content-type', 'text/event-stream; charset=utf-8')
  ctx.set('cache-control', 'no-store')
  // Prevents proxies from buffering the response.
  ctx.set('x-accel-buffering', 'no')
  res.flushHeaders()
  const beating = setInterval(() => {
    if (!res.writableNeedDrain && !res.destroyed) res.write(':\n\n')
  }, beatMs).unref()
  return {
    async write(events) {
      if (res.destroyed || res.write(events)) return
      // Removes the listener when the write is complete.
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
