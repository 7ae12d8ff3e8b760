import { counter } from '#lib/telemetry/metrics.ts'

export const receivedRequests = counter(
  'millrace_intake_requests_total',
  'Received webhooks: accepted, rejected because of their signature, or unknown URL.',
  ['provider', 'outcome'],
)
