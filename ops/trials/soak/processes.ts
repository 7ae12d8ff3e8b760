import { readdir, readFile, readlink } from 'node:fs/promises'

export interface ProcessResources {
  pid: number
  /** Memory in bytes: proportional set size and resident size. */
  pss: number
  rss: number
  /** Open descriptors, and how many of them are sockets. */
  handles: number
  sockets: number
  threads: number
  children: number
}

/** Returns the resources of a process without its descendants, or `undefined` if it has ended. */
export async function measureProcess(pid: number): Promise<ProcessResources | undefined> {
  const own = await measured(pid)
  return own && { ...own, children: (await below(pid)).length }
}

export async function measureProcessTree(pid: number): Promise<ProcessResources | undefined> {
  const own = await measured(pid)
  if (!own) return undefined
  const pids = await below(pid)
  const others = (await Promise.all(pids.map(measured))).filter((one) => one !== undefined)
  const sum = (of: 'pss' | 'rss' | 'handles' | 'sockets' | 'threads') =>
    others.reduce((total, one) => total + one[of], own[of])
  return {
    pid,
    pss: sum('pss'),
    rss: sum('rss'),
    handles: sum('handles'),
    sockets: sum('sockets'),
    threads: sum('threads'),
    children: pids.length,
  }
}

async function measured(pid: number): Promise<Omit<ProcessResources, 'children'> | undefined> {
  try {
    const [memory, status, names] = await Promise.all([
      readFile(`/proc/${pid}/smaps_rollup`, 'utf8'),
      readFile(`/proc/${pid}/status`, 'utf8'),
      readdir(`/proc/${pid}/fd`),
    ])
    const links = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')))
    return {
      pid,
      pss: kilobytes(memory, 'Pss'),
      rss: kilobytes(memory, 'Rss'),
      handles: names.length,
      sockets: links.filter((link) => link.startsWith('socket:')).length,
      threads: Number(/^Threads:\s+(\d+)/m.exec(status)?.[1] ?? 0),
    }
  } catch {
    return undefined
  }
}

const kilobytes = (text: string, field: string) =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024

async function below(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  )
  const children = lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
  const deeper = await Promise.all(children.map(below))
  return [...children, ...deeper.flat()]
}
