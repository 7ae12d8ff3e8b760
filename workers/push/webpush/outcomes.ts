import type { OutboundFault } from '#lib/network/address-guard.ts'
import type { PushAnswer, ResponseMeaning } from '../client.ts'

/** Returns the meaning of a push service’s response (RFC 8030 §5, §7.3; RFC 8292 §4.2), and a one-word reason. */
export function getWebPushMeaning(status: number): ResponseMeaning & { reason?: string } {
  return byStatus[status] ?? byClass[Math.floor(status / 100)] ?? { outcome: 'rejected', reason: `HTTP_${status}` }
}

const byStatus: Readonly<Record<number, ResponseMeaning & { reason: string }>> = {
  400: { outcome: 'rejected', reason: 'bad_request' },
  // The subscription was created with another key. Devices name their push service, so one such response does not
  // invalidate the credential.
  401: { outcome: 'rejected', reason: 'vapid_mismatch' },
  403: { outcome: 'rejected', reason: 'vapid_mismatch' },
  404: { outcome: 'invalid_token', reason: 'not_found' },
  408: { outcome: 'retry', reason: 'HTTP_408' },
  410: { outcome: 'invalid_token', reason: 'gone' },
  413: { outcome: 'rejected', reason: 'payload_too_large' },
  429: { outcome: 'retry', reason: 'too_many_requests', retryAfter: 60 },
}

const byClass: Readonly<Record<number, ResponseMeaning & { reason?: string }>> = {
  2: { outcome: 'sent' },
  5: { outcome: 'retry', reason: 'service_failed' },
}

export const withoutAnswer: Readonly<Record<OutboundFault, PushAnswer>> = {
  bad_url: { outcome: 'rejected', reason: 'bad_endpoint' },
  address_refused: { outcome: 'rejected', reason: 'address_refused' },
  port_refused: { outcome: 'rejected', reason: 'port_refused' },
  too_many_redirects: { outcome: 'rejected', reason: 'redirected' },
  unresolved: { outcome: 'retry', reason: 'unresolved' },
  timed_out: { outcome: 'unknown', reason: 'timeout' },
  too_large: { outcome: 'unknown', reason: 'bad_answer' },
  bad_encoding: { outcome: 'unknown', reason: 'bad_answer' },
  connection_failed: { outcome: 'unknown', reason: 'connection_lost' },
}
