import { statOf } from '../process-stat.ts'

/** Milliseconds: longer is nobody busy with something that is of use. */
const longest = 15 * 60_000

/**
 * Takes a process for alive that answers, and also one that is silent while its CPU time goes on: clamd answers nobody while it
 * loads signatures, which takes a minute with those that ClamAV publishes.
 */
export function answersOrWorks(answers: () => Promise<boolean>): (pid: number) => Promise<boolean> {
  let worked = 0
  let silentSince: number | undefined
  return async (pid) => {
    const before = worked
    worked = (await statOf(pid))?.own ?? 0
    if (await answers()) {
      silentSince = undefined
      return true
    }
    silentSince ??= performance.now()
    return worked > before && performance.now() - silentSince < longest
  }
}
