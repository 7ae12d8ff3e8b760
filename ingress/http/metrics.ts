import { counter, histogram, watchedGauge } from '#lib/telemetry/metrics.ts'
import type { Sample } from './limits/requests.ts'

const durations = histogram(
  'millrace_http_request_duration_seconds',
  'From the arrival of a request until its answer is ready, by operation and class of status.',
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
)
const requests = counter('millrace_http_requests_total', 'Requests answered, by operation and status.', [
  'operation',
  'status',
])

/** Requests that are being answered. */
export const inFlight = watchedGauge('millrace_http_requests_in_flight', 'Requests that are being answered.', [])

/** Requests that were passed on to another cell, by it and by what came of them: `answered`, `away`, `gone`. */
export const passedOn = counter('millrace_cell_requests_total', 'Requests passed on, by the other cell and outcome.', [
  'cell',
  'outcome',
])

/** How many requests went into each group commit. */
export const groupSizes = histogram(
  'millrace_group_commit_requests',
  'Requests of grouped routes in each transaction.',
  [1, 2, 5, 10, 20, 50, 100, 200],
).with({})

/** Counts an answered request; paths that are no operation's count as `none`, so that clients name no series. */
export function observe({ operation, status, seconds }: Sample): void {
  durations.with({ operation, status: `${Math.floor(status / 100)}xx` }).observe(seconds)
  requests.inc({ operation, status: String(status) })
}
