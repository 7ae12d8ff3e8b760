import { readStat } from '../process-stat.ts'

const longest = 15 * 60_000

/**
 * Returns a check for a process. A process is alive if it responds, or if it does not respond but uses CPU time. clamd
 * does not respond while it loads signatures. This takes a minute for ClamAV’s signatures.
 */
export function createAliveCheck(answers: () => Promise<boolean>): (pid: number) => Promise<boolean> {
  let worked = 0
  let silentSince: number | undefined
  return async (pid) => {
    const before = worked
    worked = (await readStat(pid))?.own ?? 0
    if (await answers()) {
      silentSince = undefined
      return true
    }
    silentSince ??= performance.now()
    return worked > before && performance.now() - silentSince < longest
  }
}
