import { readFile } from 'node:fs/promises'

/** Number of ticks per second in proc(5). Linux has used 100 in user space for decades (sysconf(_SC_CLK_TCK)). */
const ticks = 100

export interface Stat {
  parent: number
  /** User and system time in seconds: of the process, and of its children that have exited. */
  own: number
  reaped: number
}

export async function readStat(pid: string | number): Promise<Stat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name in parentheses can contain spaces. Fields 3 and later follow it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  if (fields.length < 16) return undefined
  const seconds = (field: number) => Number(fields[field - 3]) / ticks
  return { parent: Number(fields[1]), own: seconds(14) + seconds(15), reaped: seconds(16) + seconds(17) }
}
