import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as attempts from '#sql/push/attempts.ts'
import type * as credentials from '#sql/push/credentials.ts'
import * as daily from '#sql/push/daily.ts'
import type { ClaimedDelivery } from '#sql/push/deliveries.ts'
import * as installations from '#sql/push/installations.ts'
import * as messages from '#sql/push/messages.ts'
import * as outcomes from '#sql/push/outcomes.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'
import type { PushResult } from '../engine.ts'
import { type DeliveryEnd, unansweredPush } from './judge-batch.ts'

export interface BatchFacts {
  lease: string
  credential: credentials.CredentialFacts | undefined
  /** True if the batch tried a credential with a half-open breaker. */
  probing: boolean
  begun: Date
}

/**
 * Records the results of deliveries in one transaction: deliveries, attempts, invalid tokens, counts, ended messages
 * and events. Rows are locked in a fixed order: deliveries, installations, messages, counts.
 */
export async function recordResults(tx: Db, { lease, begun }: BatchFacts, done: readonly DeliveryEnd[]): Promise<void> {
  const mine = await outcomes.record(
    tx,
    lease,
    done.map(({ delivery, verdict }) => ({ id: delivery.id, ...verdict })),
  )
  const owned = done.filter(({ delivery }) => mine.has(delivery.id))
  await attempts.insertMany(
    tx,
    owned.flatMap(({ delivery, answer, verdict }) =>
      answer && verdict.attempted ? [attemptOf(delivery, answer)] : [],
    ),
  )
  await finish(
    tx,
    owned.map((one) => received(one, mine.get(one.delivery.id))),
    await invalidate(tx, owned, begun),
  )
}

/** Records only the end of a delivery, without webhooks, because the database rejected its attempt or its event. */
export async function recordEnd(tx: Db, { lease }: BatchFacts, { delivery, verdict }: DeliveryEnd): Promise<void> {
  await outcomes.record(tx, lease, [{ id: delivery.id, ...verdict, reason: verdict.reason && 'not_recorded' }])
  if (verdict.status !== 'queued') await messages.endMany(tx, [delivery.message_id])
}

/**
 * Returns a delivery for its events. If a receipt exists, the delivery was sent regardless of the provider’s response.
 */
const received = (one: DeliveryEnd, status: string | undefined): DeliveryEnd =>
  status === 'delivered' ? { ...one, verdict: { ...one.verdict, status: 'sent', reason: null } } : one

/** Marks deliveries that were lost with their worker. The worker may have sent them. */
export async function recordLost(tx: Db, claimed: readonly ClaimedDelivery[]): Promise<void> {
  const lost = claimed.filter((delivery) => delivery.lost)
  await attempts.insertMany(
    tx,
    lost.map((delivery) => ({
      ...attemptOf({ ...delivery, attempts: delivery.attempts - 1 }, unansweredPush),
      reason: 'worker_lost',
    })),
  )
}

const attemptOf = (
  { id, org_id, message_id, attempts: before }: ClaimedDelivery,
  answer: PushResult,
): Omit<attempts.Attempt, 'created_at'> => ({
  id: newId(),
  org_id,
  message_id,
  delivery_id: id,
  number: before + 1,
  outcome: answer.outcome,
  provider_status: answer.status ?? null,
  reason: answer.reason ?? null,
  retry_after_seconds: answer.retryAfter ?? null,
  provider_message_id: answer.providerId ?? null,
  latency_ms: answer.latencyMs,
  error: answer.error ?? null,
})

/** Invalidates devices whose tokens are invalid. Without a time, the token is invalid since the start of the batch. */
async function invalidate(
  tx: Db,
  tried: readonly DeliveryEnd[],
  begun: Date,
): Promise<readonly installations.InstallationView[]> {
  const dead = tried.flatMap(({ delivery, token, answer }) =>
    answer?.outcome === 'invalid_token' && token !== undefined
      ? [
          {
            id: delivery.installation_id,
            token,
            reason: answer.reason ?? 'invalid_token',
            since: answer.invalidSince ?? begun,
          },
        ]
      : [],
  )
  return await installations.invalidate(tx, dead)
}

async function finish(
  tx: Db,
  done: readonly DeliveryEnd[],
  invalidated: readonly installations.InstallationView[],
): Promise<void> {
  const over = done.filter(({ verdict }) => verdict.status !== 'queued')
  await messages.endMany(tx, [...new Set(over.map(({ delivery }) => delivery.message_id))])
  await daily.count(
    tx,
    over.flatMap(({ delivery, message, verdict }) =>
      verdict.status === 'queued' || verdict.status === 'cancelled' || message?.dry_run
        ? []
        : [{ ...pick(delivery), status: verdict.status, reason: verdict.status === 'sent' ? null : verdict.reason }],
    ),
  )
  const failed = over.flatMap(({ delivery, message, userId, verdict: { status, reason } }) =>
    status === 'failed' || status === 'expired'
      ? [{ delivery, status, reason, userId: message?.user_id ?? userId ?? null }]
      : [],
  )
  await emitMany(tx, [
    ...failed.map(({ delivery, userId, status, reason }) => ({
      orgId: delivery.org_id,
      type: 'push.failed' as const,
      data: {
        message_id: delivery.message_id,
        delivery_id: delivery.id,
        app_id: delivery.app_id,
        user_id: userId,
        installation_id: delivery.installation_id,
        provider: delivery.provider,
        status,
        reason,
      },
    })),
    ...invalidated.map((device) => ({
      orgId: device.org_id,
      type: 'push.installation.invalidated' as const,
      data: {
        installation_id: device.id,
        app_id: device.app_id,
        user_id: device.user_id,
        provider: device.provider,
        reason: device.invalidated_reason,
      },
    })),
  ])
}

const pick = ({ org_id, app_id, created_at, provider, platform }: ClaimedDelivery) => ({
  org_id,
  app_id,
  created_at,
  provider,
  platform,
})
