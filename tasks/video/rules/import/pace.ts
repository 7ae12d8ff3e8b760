import { SlowServerError } from './fault.ts'

/** Minimum number of bytes per period: 64 KiB per second. A slower server uses a slot that others need. */
const usual = { spellMs: 60_000, leastBytes: 60 * 64 * 1024 }

export interface PaceWatch {
  signal: AbortSignal
  came(bytes: number): void
  /** Runs `work`, whose time does not count against the server. */
  while<T>(work: () => Promise<T>): Promise<T>
  stop(): void
}

export function watchPace(outer: AbortSignal, { spellMs, leastBytes } = usual): PaceWatch {
  const slow = new AbortController()
  let since = 0
  let rests = false
  const timer = setInterval(() => {
    if (!rests && since < leastBytes) slow.abort(new SlowServerError(since, spellMs, leastBytes))
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
