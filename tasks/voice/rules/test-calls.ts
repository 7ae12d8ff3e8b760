import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import { keepTestMessages } from '../../account/rules/test-messages.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'

export interface TestCallRequest {
  orgId: string
  keyId: string
  from: string
  to: string
  callerId: string
  ringTimeoutSeconds: number
  maxDurationSeconds: number
  metadata: Record<string, string>
}

/**
 * Stores the call of a test key in the test inbox and sends its webhooks. The call ends as if both sides had answered
 * and `from` had hung up. It uses no trunk and does not count toward limits. Returns the call in the API’s format.
 */
export async function recordTestCall(tx: Db, wanted: TestCallRequest) {
  const { orgId, keyId, from, to, callerId: caller_id, metadata } = wanted
  const [id, now] = [newId(), new Date().toISOString()]
  const leg = { status: 'completed' as const, sip_status: 200, ringing_at: now, answered_at: now, ended_at: now }
  const ending = { status: 'completed' as const, reason: 'hung_up', ended_by: 'a' as const }
  const record = {
    id,
    ...ending,
    from,
    to,
    caller_id,
    legs: [
      { leg: 'a' as const, number: from, ...leg },
      { leg: 'b' as const, number: to, ...leg },
    ],
    ring_timeout_seconds: wanted.ringTimeoutSeconds,
    max_duration_seconds: wanted.maxDurationSeconds,
    metadata,
    hangup_requested_at: null,
    duration_seconds: 0,
    created_at: now,
    answered_at: now,
    ended_at: now,
    sandbox: true as const,
  }
  const title = `Call from ${from} to ${to}`
  const content = { from, to, caller_id, metadata }
  await keepTestMessages(tx, [{ id, orgId, keyId, channel: 'voice', recipient: to, title, content, record }])
  const open = {
    id,
    reason: null,
    ended_by: null,
    metadata,
    created_at: now,
    answered_at: null,
    ended_at: null,
    duration_seconds: null,
  }
  const test = { sandbox: true as const }
  const answered = { ...open, answered_at: now }
  await emitMany(tx, [
    { orgId, type: 'voice.call.ringing', data: { ...open, status: 'ringing', ...test } },
    { orgId, type: 'voice.call.answered', data: { ...answered, status: 'in_progress', ...test } },
    { orgId, type: 'voice.call.ended', data: { ...answered, ...ending, ended_at: now, duration_seconds: 0, ...test } },
  ])
  return record
}
