import { TooSlow } from './fault.ts'

/** Bytes that a server must send in each spell, 64 KiB per second; one that sends less holds a place that others wait for. */
const usual = { spellMs: 60_000, leastBytes: 60 * 64 * 1024 }

/** Ends a fetch by a server that sends nearly nothing, and one whose turn is over. */
export interface Pace {
  signal: AbortSignal
  /** Told of bytes as they come. */
  came(bytes: number): void
  /** While this is done nothing is expected of the server. */
  while<T>(work: () => Promise<T>): Promise<T>
  stop(): void
}

/** Watches a fetch from now on. */
export function watchPace(outer: AbortSignal, { spellMs, leastBytes } = usual): Pace {
  const slow = new AbortController()
  let since = 0
  let rests = false
  const timer = setInterval(() => {
    if (!rests && since < leastBytes) slow.abort(new TooSlow(since, spellMs, leastBytes))
    since = 0
  }, spellMs)
  timer.unref()
  return {
    signal: AbortSignal.any([outer, slow.signal]),
    came(bytes) {
      since += bytes
    },
    async while(work) {
      rests = true
      try {
        return await work()
      } finally {
        since = leastBytes
        rests = false
      }
    },
    stop: () => clearInterval(timer),
  }
}
