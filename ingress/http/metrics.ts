import { counter, histogram, watchedGauge } from '#lib/telemetry/metrics.ts'
import type { Sample } from './limits/requests.ts'

const durations = histogram(
  'millrace_http_request_duration_seconds',
  'Time from the arrival of a request until its response is ready, by operation and class of status.',
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
)
const requests = counter('millrace_http_requests_total', 'Number of completed requests, by operation and status.', [
  'operation',
  'status',
])

export const requestsInFlight = watchedGauge('millrace_http_requests_in_flight', 'Requests in progress.', [])

export const forwardedRequests = counter(
  'millrace_cell_requests_total',
  'Requests forwarded to another cell, by cell and outcome.',
  ['cell', 'outcome'],
)

export const groupSizes = histogram(
  'millrace_group_commit_requests',
  'Number of requests per transaction of grouped routes.',
  [1, 2, 5, 10, 20, 50, 100, 200],
).with({})

/** Counts a completed request. Unknown paths count as `none`, so clients cannot create new metric series. */
export function countRequest({ operation, status, seconds }: Sample): void {
  durations.with({ operation, status: `${Math.floor(status / 100)}xx` }).observe(seconds)
  requests.inc({ operation, status: String(status) })
}
