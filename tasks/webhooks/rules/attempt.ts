import type { OutboundClient } from '#lib/http.ts'
import type { Seal } from '#lib/seal.ts'
import { counter } from '#lib/telemetry/metrics.ts'
import type { Target } from '#sql/webhooks/endpoints.ts'
import { callServer, type ServerAnswer } from './call-server.ts'
import { signEvent, type WebhookEvent } from './sign.ts'

/** Timeout for the complete response in milliseconds. */
export const timeoutMs = 15_000

export type Answer = Omit<ServerAnswer, 'outcome'> & {
  outcome: 'delivered' | 'unsigned' | Exclude<ServerAnswer['outcome'], 'accepted'>
}

const counted = counter('millrace_webhook_deliveries_total', 'Attempts to deliver an event to a webhook.', [
  'area',
  'outcome',
])

interface AttemptTools {
  outbound: OutboundClient
  seal: Seal
  signal: AbortSignal
  /** Organisation for which a server that is not responding is skipped. Undefined to send anyway. */
  holder: string | undefined
}

/**
 * Sends an event to an endpoint once. A 2xx status is a success, even if reading the body fails. Redirects are not
 * followed. Throws `ServerTimeoutError` without sending while the endpoint’s server is not responding to this
 * organisation.
 */
export async function sendEvent(
  target: Target,
  event: WebhookEvent,
  { outbound, seal, signal, holder }: AttemptTools,
): Promise<Answer> {
  const request = signEvent(target, event, seal)
  const options = { method: 'POST', timeout: timeoutMs, signal, holder, what: 'endpoint' } as const
  const answer = request ? toAnswer(await callServer(outbound, target.url, { ...options, ...request })) : unsigned
  counted.inc({ area: target.app_id === null ? (target.area ?? 'all') : 'hooks', outcome: answer.outcome })
  return answer
}

const toAnswer = ({ outcome, ...answer }: ServerAnswer): Answer => ({
  ...answer,
  outcome: outcome === 'accepted' ? 'delivered' : outcome,
})

const unsigned: Answer = {
  status: null,
  latencyMs: 0,
  head: null,
  retryAfterMs: null,
  outcome: 'unsigned',
  error:
    'The secret or the headers of this endpoint can no longer be read. Rotate the secret and set the headers again.',
}
