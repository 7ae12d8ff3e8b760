import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { preferPort } from '../../../start/ports.ts'
import { startChild } from '../child.ts'
import type { Arrivals } from './handler.ts'
import type { PeerResult, PeerSettings } from './peer.ts'

const run = promisify(execFile)

/** Exact versions of the packages that the benchmark installs in its own folder. */
const packages = { 'pg-boss': '10.4.2', bullmq: '6.7.0' } as const

export interface PeerFigures {
  drained: number
  p50: number
  p99: number
}

export type PeerName = keyof typeof packages

interface PeerParts extends Omit<PeerSettings, 'kind' | 'folder' | 'redisPort'> {
  folder: string
  arrivals(path?: string): Promise<Arrivals>
}

/** Measures another queue with the same server. Returns the reason if it cannot run here. */
export async function measurePeer(kind: PeerName, parts: PeerParts): Promise<PeerFigures | string> {
  await using ends = new AsyncDisposableStack()
  const redisPort = kind === 'bullmq' ? await startRedis(parts.folder, ends) : 0
  if (redisPort === undefined) return 'redis-server is not installed'
  const folder = join(parts.folder, kind)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{"private":true}')
  const name = `${kind}@${packages[kind]}`
  try {
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', name], {
      cwd: folder,
      timeout: 120_000,
    })
  } catch {
    return `${name} could not be installed`
  }
  const { arrivals, ...settings } = parts
  const child = startChild('./jobs/peer.ts', { ...settings, kind, folder, redisPort } satisfies PeerSettings)
  ends.defer(() => child.end())
  await arrivals('/reset')
  await child.next<string>()
  const drained = await untilArrived(arrivals, parts.jobs)
  await arrivals('/reset')
  child.process.kill('SIGUSR2')
  const { accepted } = await child.next<PeerResult>()
  const ids = Object.keys(accepted)
  const seen = await untilArrived(arrivals, ids.length)
  return {
    drained: (parts.jobs / (drained.last - drained.first)) * 1_000,
    ...quantiles(ids.map((id) => (seen.times[id] ?? Number.NaN) - (accepted[id] ?? 0))),
  }
}

export async function untilArrived(arrivals: PeerParts['arrivals'], count: number): Promise<Arrivals> {
  for (;;) {
    const seen = await arrivals()
    if (seen.count >= count) return seen
    await pause(50)
  }
}

/** Returns the median and the 99th percentile of waits. A request can arrive before its acceptance: this counts as 0. */
export function quantiles(waits: readonly number[]): { p50: number; p99: number } {
  const sorted = waits.map((wait) => Math.max(0, wait)).toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}

async function startRedis(folder: string, ends: AsyncDisposableStack): Promise<number | undefined> {
  const isInstalled = await run('redis-server', ['--version']).then(
    () => true,
    () => false,
  )
  if (!isInstalled) return undefined
  const port = await preferPort('127.0.0.1', undefined)
  const options = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--appendonly', 'yes', '--save', '']
  const redis = spawn('redis-server', options, { stdio: 'ignore' })
  ends.defer(async () => {
    redis.kill('SIGTERM')
    await once(redis, 'exit')
  })
  await pause(500)
  return port
}
