import { cachedFor } from '#lib/cached-for.ts'
import { counter, watchedGauge } from '#lib/telemetry/metrics.ts'
import type { Standing } from '#sql/wal.ts'

/** Reads that a replica may answer, by the server that has answered. */
export const reads = counter('millrace_replica_reads_total', 'Reads that a replica may do, by the server that did.', [
  'by',
])

/** Reads that went to the primary in its place. */
export const fallbacks = counter(
  'millrace_replica_fallbacks_total',
  'Reads that the primary did in place of the replica, by why.',
  ['reason'],
)

/** Whether reads are given to the replica now. */
const serving = watchedGauge('millrace_replica_up', 'Whether reads are given to the replica now.', [])

/** How much of the primary's log the replica has not replayed. */
const lagBytes = watchedGauge(
  'millrace_replica_lag_bytes',
  'Bytes of what the primary has committed that the replica has not replayed.',
  [],
)

/** How old what the replica shows is. */
const lagSeconds = watchedGauge(
  'millrace_replica_lag_seconds',
  'Seconds since the last commit that the replica has replayed; 0 when there is no later one.',
  [],
)

/** Milliseconds for which one look at the replica serves the gauges. */
const freshMs = 1_000

/** Shows how a replica stands at each scrape; returns how to stop. */
export function watch(replica: { isUp(): boolean; standing(): Promise<Standing | undefined> }): () => void {
  const standing = cachedFor(replica.standing, freshMs)
  const told = (read: (standing: Standing) => number | null) => async () => {
    const known = await standing()
    const value = known && read(known)
    return value == null ? [] : [{ labels: {}, value }]
  }
  const stops = [
    serving.watch(() => [{ labels: {}, value: Number(replica.isUp()) }]),
    lagBytes.watch(told(({ bytes }) => bytes)),
    lagSeconds.watch(told(({ reached, seconds }) => (reached ? 0 : seconds))),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
