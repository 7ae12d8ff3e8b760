import { cacheFor } from '#lib/cached-for.ts'
import { counter, watchedGauge } from '#lib/telemetry/metrics.ts'
import type { Standing } from '#sql/wal.ts'

export const replicaReads = counter(
  'millrace_replica_reads_total',
  'Reads that a replica can serve, by the server that served them.',
  ['by'],
)

export const replicaFallbacks = counter(
  'millrace_replica_fallbacks_total',
  'Reads that the primary served instead of the replica, by reason.',
  ['reason'],
)

const serving = watchedGauge('millrace_replica_up', 'Whether reads are currently sent to the replica.', [])

const lagBytes = watchedGauge(
  'millrace_replica_lag_bytes',
  'Size of the primary’s log that the replica has not replayed, in bytes.',
  [],
)

const lagSeconds = watchedGauge(
  'millrace_replica_lag_seconds',
  'Time since the last commit that the replica has replayed, in seconds. 0 if there is no later commit.',
  [],
)

const freshMs = 1_000

/** Reports the state of a replica at each scrape. Returns a function that stops reporting. */
export function watchReplica(replica: { isUp(): boolean; standing(): Promise<Standing | undefined> }): () => void {
  const standing = cacheFor(replica.standing, freshMs)
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
