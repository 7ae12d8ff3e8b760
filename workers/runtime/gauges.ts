import { counter, watchedGauge } from '#lib/telemetry/metrics.ts'
import { poolNames } from '#tasks/pools.ts'

const running = watchedGauge('millrace_worker_running', 'Attempts in progress in this process.', ['pool'])
const slots = watchedGauge('millrace_worker_slots', 'Maximum number of concurrent attempts in this process.', ['pool'])

const losses = counter('millrace_worker_losses_total', 'Workers that this process found missing, silent or late.', [
  'pool',
  'reason',
])
const released = counter('millrace_worker_released_jobs_total', 'Jobs of lost workers that this process released.', [
  'pool',
])

// Exported from the start, because a rate does not include the first value of a new series.
for (const pool of poolNames) {
  for (const reason of ['gone', 'silent', 'late']) losses.inc({ pool, reason }, 0)
  released.inc({ pool }, 0)
}

export const engines = {
  active: watchedGauge('millrace_engine_active', 'Processes or connections of an engine in use in this process.', [
    'engine',
  ]),
  queued: watchedGauge('millrace_engine_queued', 'Calls that are waiting for an engine of this process.', ['engine']),
}

const active = new Map<string, number>()
engines.active.watch(() => [...active].map(([engine, value]) => ({ labels: { engine }, value })))

export function showEngines(names: readonly string[]): void {
  for (const name of names) active.set(name, active.get(name) ?? 0)
}

/** Runs `work` for one process or connection of an engine, and counts it as active. */
export async function countActive<T>(engine: string, work: () => Promise<T>): Promise<T> {
  active.set(engine, (active.get(engine) ?? 0) + 1)
  try {
    return await work()
  } finally {
    active.set(engine, (active.get(engine) ?? 1) - 1)
  }
}

export function observePools(
  contexts: () => readonly { pool: string; running: ReadonlySet<unknown>; slots: number }[],
): () => void {
  const stops = [
    running.watch(() => contexts().map(({ pool, running: { size } }) => ({ labels: { pool }, value: size }))),
    slots.watch(() => contexts().map(({ pool, slots: value }) => ({ labels: { pool }, value }))),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

export function countLoss(loss: { pool_name: string; reason: string; released: number }): void {
  losses.inc({ pool: loss.pool_name, reason: loss.reason })
  released.inc({ pool: loss.pool_name }, loss.released)
}
