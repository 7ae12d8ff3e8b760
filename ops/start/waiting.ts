import { say } from './terminal.ts'

const noticeMs = 5_000

interface Wait {
  now(): string
  begun: number
}

const waits = new Set<Wait>()

/**
 * Prints the current work. Repeats it with the duration every `every` milliseconds until the work ends, in one line for
 * all current work. If `what` is a function, it returns the remaining work. Returns or throws the result of the work.
 */
export async function withProgress<T>(what: string | (() => string), work: Promise<T>, every = noticeMs): Promise<T> {
  const wait: Wait = { now: typeof what === 'string' ? () => what : what, begun: performance.now() }
  say('millrace', wait.now())
  waits.add(wait)
  const timer = setInterval(() => {
    const [oldest] = waits
    if (oldest !== wait) return
    const seconds = Math.round((performance.now() - wait.begun) / 1000)
    say('millrace', `${[...waits].map(({ now }) => now()).join('; ')}, for ${seconds} s now`)
  }, every)
  try {
    return await work
  } finally {
    clearInterval(timer)
    waits.delete(wait)
  }
}
