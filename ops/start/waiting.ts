import { say } from './terminal.ts'

/** Milliseconds of silence that nobody takes for a hang. */
const noticeMs = 5_000

/** Something that is waited for. */
interface Wait {
  /** What is left of it by now. */
  now(): string
  begun: number
}

const waits = new Set<Wait>()

/**
 * Says what is being done and, every `every` milliseconds until it is over, that it still is and for how long: one line for all that
 * is being done by then. A function tells what is left of it. Returns, or throws, what the work comes to.
 */
export async function saying<T>(what: string | (() => string), work: Promise<T>, every = noticeMs): Promise<T> {
  const wait: Wait = { now: typeof what === 'string' ? () => what : what, begun: performance.now() }
  say('millrace', wait.now())
  waits.add(wait)
  // The one that has lasted longest speaks for the others.
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
