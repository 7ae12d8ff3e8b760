import { once } from 'node:events'
import type { Context } from 'koa'

/** Milliseconds of silence after which a comment is sent: proxies cut what is silent, often after 30 s. */
const beatMs = 15_000

/** Milliseconds for which a client may read nothing while more waits for it. */
const slowestMs = 60_000

/** An answer in events, as OpenAI's clients read it: data alone, and no advice to come back. */
export interface CompletionStream extends AsyncDisposable {
  /** Resolves when there is room for more; a client that makes none for a minute is cut off. */
  write(events: string): Promise<void>
}

/**
 * Begins to answer a request with a stream of events. It is sent in chunks (RFC 9112 §7.1), so that one that breaks off with
 * this process is not taken for one that has ended.
 */
export function openCompletionStream(ctx: Context): CompletionStream {
  const { res } = ctx
  // It is written past Koa, which would hold what a slow client has not read in one more buffer.
  ctx.respond = false
  ctx.status = 200
  ctx.set('content-type', 'text/event-stream; charset=utf-8')
  ctx.set('cache-control', 'no-store')
  // Proxies that collect answers would hold the events back.
  ctx.set('x-accel-buffering', 'no')
  res.flushHeaders()
  const beating = setInterval(() => {
    if (!res.writableNeedDrain && !res.destroyed) res.write(':\n\n')
  }, beatMs).unref()
  return {
    async write(events) {
      if (res.destroyed || res.write(events)) return
      // What is not awaited any more listens no longer.
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
