import { cacheFor } from '#lib/cached-for.ts'
import { watchedGauge } from '#lib/telemetry/metrics.ts'
import * as health from '#sql/account/streams/health.ts'
import * as positions from '#sql/account/streams/positions.ts'
import type { DatabasePool } from '#sql/db.ts'

// Every worker of the pool reports the same values for the fleet. Use `max` over processes, not the sum.
const fleetWide = 'Every worker of the pool reports the same value for the fleet, so aggregate with max, not sum.'

const lag = watchedGauge(
  'millrace_log_stream_lag_seconds',
  `Age of the oldest record that a log stream has not sent. Paused streams are not included. ${fleetWide}`,
  ['kind', 'source'],
)

const count = watchedGauge('millrace_log_streams', `Log streams by state. ${fleetWide}`, ['kind', 'state'])

const freshMs = 15_000

/** Reports the lag and the states of all streams. Returns a function that stops this. */
export function observeStreams(db: DatabasePool): () => void {
  const lags = cacheFor(() => positions.measureLag(db), freshMs)
  const states = cacheFor(() => health.countByState(db), freshMs)
  const stops = [
    lag.watch(async () =>
      (await lags()).map(({ kind, source, seconds: value }) => ({ labels: { kind, source }, value })),
    ),
    count.watch(async () =>
      (await states()).map(({ kind, state, streams: value }) => ({ labels: { kind, state }, value })),
    ),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
