import { counter, watchedGauge } from '#lib/telemetry/metrics.ts'
import { poolNames } from '#tasks/pools.ts'

const running = watchedGauge('millrace_worker_running', 'Attempts under way in this process.', ['pool'])
const slots = watchedGauge('millrace_worker_slots', 'Attempts that this process runs at once at most.', ['pool'])

const losses = counter('millrace_worker_losses_total', 'Workers that this process found gone, silent or late.', [
  'pool',
  'reason',
])
const released = counter('millrace_worker_released_jobs_total', 'Jobs of lost workers that this process released.', [
  'pool',
])

// Shown from the start: a rate does not see the first step of a series that was not there before.
for (const pool of poolNames) {
  for (const reason of ['gone', 'silent', 'late']) losses.inc({ pool, reason }, 0)
  released.inc({ pool }, 0)
}

/** What this process's engines do; an engine's tools `watch` these for theirs. */
export const engines = {
  active: watchedGauge('millrace_engine_active', 'Processes or connections of an engine at work in this process.', [
    'engine',
  ]),
  queued: watchedGauge('millrace_engine_queued', 'Calls that wait for an engine that this process uses.', ['engine']),
}

const active = new Map<string, number>()
engines.active.watch(() => [...active].map(([engine, value]) => ({ labels: { engine }, value })))

/** Shows engines from the start, at 0 while none of their work is under way. */
export function showEngines(names: readonly string[]): void {
  for (const name of names) active.set(name, active.get(name) ?? 0)
}

/** Does `work`, which is one process or connection of an engine; it counts as active until then. */
export async function atWork<T>(engine: string, work: () => Promise<T>): Promise<T> {
  active.set(engine, (active.get(engine) ?? 0) + 1)
  try {
    return await work()
  } finally {
    active.set(engine, (active.get(engine) ?? 1) - 1)
  }
}

/** Shows how busy this process's workers are; returns how to stop. */
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

/** Counts a worker that this process found lost. */
export function noteLoss(loss: { pool_name: string; reason: string; released: number }): void {
  losses.inc({ pool: loss.pool_name, reason: loss.reason })
  released.inc({ pool: loss.pool_name }, loss.released)
}
