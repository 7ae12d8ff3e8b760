import { readdir, readFile } from 'node:fs/promises'
import { readStat, type Stat } from '../../process-stat.ts'

/** CPU seconds by program. `<program>: ended` contains the CPU time of its ended children. */
export type CpuByProgram = Record<string, number>

export async function measureTreeCpu(root: number): Promise<CpuByProgram> {
  const sums: CpuByProgram = {}
  for (const [pid, { own, reaped }] of await treeOf(root)) {
    const name = await program(pid)
    sums[name] = (sums[name] ?? 0) + own
    if (reaped > 0) sums[`${name}: ended`] = (sums[`${name}: ended`] ?? 0) + reaped
  }
  return sums
}

/** Returns the memory in MB of a process and all its descendants, by program, as proportional set size (PSS). */
export async function measureTreeMemory(root: number): Promise<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const [pid] of await treeOf(root)) {
    const name = await program(pid)
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
    sums[name] = (sums[name] ?? 0) + Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024
  }
  return sums
}

async function treeOf(root: number): Promise<[pid: number, Stat][]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const stats = new Map<number, Stat>()
  for (const pid of pids) {
    const found = await readStat(pid)
    if (found) stats.set(pid, found)
  }
  const isInTree = (pid: number): boolean => pid === root || (pid > 1 && isInTree(stats.get(pid)?.parent ?? 0))
  return [...stats].filter(([pid]) => isInTree(pid))
}

async function program(pid: number): Promise<string> {
  const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')
  const script = words
    .find((word) => word.endsWith('.ts'))
    ?.split('/')
    .slice(-2)
    .join('/')
  return script ?? words[0]?.split(/[ :]/)[0]?.split('/').at(-1) ?? 'gone'
}

/** Returns the difference between two samples by program, without zeros. */
export function subtractCpu(before: CpuByProgram, after: CpuByProgram): CpuByProgram {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const taken = names.map((name) => [name, Math.round(((after[name] ?? 0) - (before[name] ?? 0)) * 100) / 100] as const)
  return Object.fromEntries(taken.filter(([, seconds]) => seconds !== 0))
}

export const cpuSum = (taken: CpuByProgram): number => Object.values(taken).reduce((sum, seconds) => sum + seconds, 0)

export async function getReapedCpuSeconds(): Promise<number> {
  return (await readStat('self'))?.reaped ?? 0
}
