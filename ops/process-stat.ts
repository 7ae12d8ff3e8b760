import { readFile } from 'node:fs/promises'

/** Ticks of proc(5) in a second; Linux has shown 100 to user space for decades (sysconf(_SC_CLK_TCK)). */
const ticks = 100

/** What the kernel tells of a process. */
export interface Stat {
  parent: number
  /** User and system time of the process, and of the children that it has waited for, in seconds. */
  own: number
  reaped: number
}

/** What proc_pid_stat(5) tells of a process; undefined once it is gone. */
export async function statOf(pid: string | number): Promise<Stat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name in parentheses may hold spaces; what follows it are fields 3 and on.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  if (fields.length < 16) return undefined
  const seconds = (field: number) => Number(fields[field - 3]) / ticks
  return { parent: Number(fields[1]), own: seconds(14) + seconds(15), reaped: seconds(16) + seconds(17) }
}
