import { readdir, readFile, readlink } from 'node:fs/promises'
import { renderMetrics } from '#lib/telemetry/metrics.ts'

const intervals = new Set<NodeJS.Timeout>()
const { setInterval: begin, clearInterval: end } = globalThis

// Timers that do not keep the process running are visible only here.
globalThis.setInterval = ((...given: Parameters<typeof begin>) => {
  const timer = begin(...given)
  intervals.add(timer)
  return timer
}) as typeof begin
globalThis.clearInterval = (timer) => {
  intervals.delete(timer as NodeJS.Timeout)
  end(timer)
}

/** Resources of this process that continue by themselves. */
export interface Leftovers {
  programs: string[]
  /** Addresses of its listening TCP and UDP sockets. */
  listening: string[]
  intervals: number
  /** Gauges that are read at each scrape. */
  gauges: string[]
  temporaries: string[]
}

export async function leftovers(temporary: string): Promise<Leftovers> {
  const [programs, listening, gauges, temporaries] = await Promise.all([
    children(),
    sockets(),
    watched(),
    readdir(temporary),
  ])
  return { programs, listening, intervals: intervals.size, gauges, temporaries }
}

async function children(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')))
  const found = stats.flatMap((stat) => {
    const [, pid, name, parent] = /^(\d+) \((.*)\) \S (\d+)/.exec(stat) ?? []
    return Number(parent) === process.pid ? [`${pid} ${name}`] : []
  })
  return found.toSorted()
}

async function sockets(): Promise<string[]> {
  const entries = await readdir('/proc/self/fd')
  const links = await Promise.all(entries.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')))
  const own = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []))
  const tables = await Promise.all(
    ['tcp', 'tcp6', 'udp', 'udp6'].map(async (table) => {
      const lines = (await readFile(`/proc/net/${table}`, 'utf8')).trim().split('\n').slice(1)
      return lines.flatMap((line) => {
        const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
        const listens = table.startsWith('udp') || state === '0A'
        return listens && own.has(inode) ? [`${table} ${Number.parseInt(local.split(':')[1] ?? '', 16)}`] : []
      })
    }),
  )
  return tables.flat().toSorted()
}

async function watched(): Promise<string[]> {
  const text = await renderMetrics('prometheus')
  const gauges = new Set([...text.matchAll(/^# TYPE (millrace_\w+) gauge$/gm)].map(([, name]) => name))
  const samples = text.split('\n').map((line) => line.split(' ')[0] ?? '')
  return samples.filter((sample) => gauges.has(sample.split('{')[0])).toSorted()
}
