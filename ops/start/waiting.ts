import { say } from './terminal.ts'

/** Milliseconds of silence that nobody takes for a hang. */
const noticeMs = 5_000

/**
 * Says what is being done and, every `every` milliseconds until it is over, that it still is and for how long; a function tells
 * what is left of it by then. Returns, or throws, what the work comes to.
 */
export async function saying<T>(what: string | (() => string), work: Promise<T>, every = noticeMs): Promise<T> {
  const begun = performance.now()
  const now = () => (typeof what === 'string' ? what : what())
  say('millrace', now())
  const timer = setInterval(() => {
    say('millrace', `${now()}, for ${Math.round((performance.now() - begun) / 1000)} s now`)
  }, every)
  try {
    return await work
  } finally {
    clearInterval(timer)
  }
}
