import { setImmediate as nextTurn } from 'node:timers/promises'

/** Milliseconds of work before other work runs. */
const turnMs = 5

let line: Promise<void> = Promise.resolve()

/**
 * For long work next to other work of the process. The returned function is awaited after each small piece, and
 * resolves when the work may continue. In each turn of the event loop, only one such work continues.
 */
export function createYield(): () => Promise<void> {
  let ends = performance.now() + turnMs
  return async () => {
    if (performance.now() < ends) return
    const turn = line.then(() => nextTurn())
    line = turn
    await turn
    ends = performance.now() + turnMs
  }
}
