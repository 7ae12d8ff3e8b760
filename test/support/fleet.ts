import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Scope } from './postgres.ts'

/** How a test's worker process lives, in milliseconds; `stock` runs the queue library with its own defaults instead. */
export interface WorkerSettings {
  concurrency?: number
  fetchAhead?: number
  lease?: number
  sweep?: number
  grace?: number
  agedAfter?: number
  hostFault?: number
  stock?: boolean
  /** How far its wall clock is off. */
  clock?: number
}

/** A worker process of a test's own. */
export interface WorkerProcess {
  process: ChildProcess
  /** Everything it has printed. */
  lines: string[]
  /** Its exit code, or the signal that ended it, once all it printed is in `lines`. */
  ended: Promise<number | string>
}

const script = fileURLToPath(new URL('./fleet-process.ts', import.meta.url))

/** Starts a worker process for the `core` pool and the tasks of test/jobs/work.ts; it is killed with the test. */
export async function startWorker(t: Scope, url: string, settings: WorkerSettings = {}): Promise<WorkerProcess> {
  const fleet = { url, concurrency: 8, fetchAhead: 0, lease: 60_000, sweep: 200, grace: 5_000, ...settings }
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, FLEET: JSON.stringify(fleet), LOG_LEVEL: process.env.FLEET_LOG ?? 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  const lines: string[] = []
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const output = createInterface(child.stdout)
  const ready = new Promise<void>((resolve) => {
    output.on('line', (line) => {
      lines.push(line)
      if (process.env.FLEET_LOG) console.error(line)
      if (line === 'ready') resolve()
    })
  })
  await Promise.race([ready, ended.then((how) => Promise.reject(new Error(`The worker ended at once: ${how}`)))])
  return { process: child, lines, ended }
}
