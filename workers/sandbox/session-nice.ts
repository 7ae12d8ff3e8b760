import type { ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds between two changes of an ordinary user, on the whole machine. */
const betweenChanges = 100

/**
 * Makes the session that a process leads as meek as `nice` makes the process. Where the kernel shares the CPU out among sessions
 * (sched(7), autogroup), as many do, what a process is niced by counts within its session only.
 */
export async function niceSession(leader: ChildProcess, nice: number): Promise<void> {
  const gone = new AbortController()
  leader.once('exit', () => gone.abort())
  while (leader.pid !== undefined && leader.exitCode === null && leader.signalCode === null) {
    try {
      return await writeFile(`/proc/${leader.pid}/autogroup`, String(nice))
    } catch (error) {
      // Any other error: this kernel does not group by sessions, or the process has ended.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
    }
    await pause(betweenChanges * (1 + Math.random()), undefined, { signal: gone.signal }).catch(() => {})
  }
}
