import { setImmediate as nextTurn } from 'node:timers/promises'

/** Duration of work in milliseconds before other work runs. */
const turnMs = 5

let line: Promise<void> = Promise.resolve()

/**
 * Returns a function for long work next to other work of the process. Await the function after each small piece. It
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
