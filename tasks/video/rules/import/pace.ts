import { Setback } from './fault.ts'

/** Bytes that a server must send in each spell; one that sends less holds a place that others wait for. */
const [spellMs, leastBytes] = [20_000, 160 * 1024]

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
export function watchPace(outer: AbortSignal): Pace {
  const slow = new AbortController()
  let since = 0
  let rests = false
  const timer = setInterval(() => {
    if (!rests && since < leastBytes) slow.abort(new Setback(`The server sent ${since} bytes in ${spellMs / 1000} s.`))
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
