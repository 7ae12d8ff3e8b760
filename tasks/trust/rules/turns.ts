import { setImmediate as nextTurn } from 'node:timers/promises'

/** Milliseconds of work after which others have their turn. */
const turnMs = 5

let line: Promise<void> = Promise.resolve()

/**
 * For long work that a process does beside others': what is returned is awaited after each small piece, and resolves when the work may
 * go on. Of all such work the process goes on with one in each turn of its event loop, however much of it was asked for.
 */
export function takeTurns(): () => Promise<void> {
  let ends = performance.now() + turnMs
  return async () => {
    if (performance.now() < ends) return
    const turn = line.then(() => nextTurn())
    line = turn
    await turn
    ends = performance.now() + turnMs
  }
}
