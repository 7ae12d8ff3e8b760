import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Scope } from './postgres.ts'

/** Timeouts of a test’s worker process in milliseconds. `stock` runs the queue library with its default settings. */
export interface WorkerSettings {
  concurrency?: number
  fetchAhead?: number
  lease?: number
  sweep?: number
  grace?: number
  agedAfter?: number
  hostFault?: number
  stock?: boolean
  /** Offset of its wall clock. */
  clock?: number
}

export interface WorkerProcess {
  process: ChildProcess
  lines: string[]
  /** Exit code or signal, after all output is in `lines`. */
  ended: Promise<number | string>
}

const script = fileURLToPath(new URL('./fleet-process.ts', import.meta.url))

/** Starts a worker process for the `core` pool with the tasks of test/jobs/work.ts, until the test ends. */
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
