import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as attempts from '#sql/push/attempts.ts'
import * as credentials from '#sql/push/credentials.ts'
import * as daily from '#sql/push/daily.ts'
import type { Claimed } from '#sql/push/deliveries.ts'
import * as installations from '#sql/push/installations.ts'
import * as messages from '#sql/push/messages.ts'
import * as outcomes from '#sql/push/outcomes.ts'
import { emitMany } from '../webhooks/emit.ts'
import { blame } from './blame.ts'
import { judge, type Verdict } from './judge.ts'
import type { Ended, Sendable } from './prepare.ts'
import type { PushResult } from './push-engine.ts'
import { storable } from './storable.ts'

/** By whom and with what a batch was sent. */
interface About {
  lease: string
  credential: credentials.Facts | undefined
  /** It tried a credential whose breaker was half-open. */
  probing: boolean
  /** When it began to be sent. */
  begun: Date
}

/** What is to be done when the results are recorded. */
interface After {
  /** Seconds until deliveries are due again. */
  delays: number[]
  /** Until when the credential's breaker is open, if it was refused or its provider is away. */
  openUntil: Date | undefined
}

/** An end of a delivery, with what its events tell. */
interface Done {
  delivery: Claimed
  message: messages.Sendable | undefined
  verdict: Verdict
}

/**
 * Records what became of a batch, in one transaction: deliveries, attempts, dead tokens, counts, ended messages, events and the
 * credential's breaker. Without `results` the credential could not be opened. Rows are locked in one order: deliveries,
 * installations, messages, counts.
 */
export async function recordResults(
  tx: Db,
  about: About,
  { sendable, ended }: { sendable: readonly Sendable[]; ended: readonly Ended[] },
  results: readonly PushResult[] | undefined,
): Promise<After> {
  const sealed: PushResult = { outcome: 'credential', reason: 'sealed_with_another_secret', latencyMs: 0 }
  const given = sendable.map((_, i) => (results ? storable(results[i] ?? unanswered) : sealed))
  const answers = blame(given, about.credential?.proven_at != null)
  const proven = answers.some(({ outcome }) => outcome === 'sent')
  const done: Done[] = [
    ...sendable.map(({ delivery, message }, i) => ({
      delivery,
      message,
      verdict: judge(answers[i] as PushResult, delivery, message, proven),
    })),
    ...ended.map(({ delivery, message, status, reason }) => ({
      delivery,
      message,
      verdict: { status, reason, delay: 0, attempted: false },
    })),
  ]
  const mine = await outcomes.record(
    tx,
    about.lease,
    done.map(({ delivery, verdict }) => ({ id: delivery.id, ...verdict })),
  )
  const tried = sendable.flatMap((one, i) =>
    mine.has(one.delivery.id) ? [{ ...one, answer: answers[i] as PushResult }] : [],
  )
  await attempts.insertMany(
    tx,
    tried.map(({ delivery, answer }) => attemptOf(delivery, answer)),
  )
  await finish(
    tx,
    done.filter(({ delivery }) => mine.has(delivery.id)).map((one) => received(one, mine.get(one.delivery.id))),
    await invalidate(tx, tried, about.begun),
  )
  // What FCM merely checks says nothing of whose device it is.
  const isProof = sendable.some(({ message }, i) => answers[i]?.outcome === 'sent' && !message.dry_run)
  if (isProof && about.credential?.proven_at === null) await credentials.prove(tx, about.credential.id)
  const refused = done.find(({ verdict }) => verdict.refusal !== undefined)
  return {
    delays: done.flatMap(({ verdict }) =>
      verdict.status === 'queued' && verdict.refusal === undefined ? [verdict.delay] : [],
    ),
    openUntil: await judgeCredential(tx, about, refused?.verdict.refusal ?? outage(answers, about)),
  }
}

/** A delivery as it is told of: one whose receipt is there already was sent, whatever its provider says. */
const received = (one: Done, status: string | undefined): Done =>
  status === 'delivered' ? { ...one, verdict: { ...one.verdict, status: 'sent', reason: null } } : one

const unanswered: PushResult = { outcome: 'unknown', reason: 'no_answer', latencyMs: 0 }

/** Marks deliveries that were lost with their worker: it may have sent them. */
export async function recordLost(tx: Db, claimed: readonly Claimed[]): Promise<void> {
  const lost = claimed.filter((delivery) => delivery.lost)
  await attempts.insertMany(
    tx,
    lost.map((delivery) => ({
      ...attemptOf({ ...delivery, attempts: delivery.attempts - 1 }, unanswered),
      reason: 'worker_lost',
    })),
  )
}

const attemptOf = (
  { id, org_id, message_id, attempts: before }: Claimed,
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

/** Invalidates the devices whose tokens were called dead; one without an instant is dead since the batch began. */
async function invalidate(
  tx: Db,
  tried: readonly (Sendable & { answer: PushResult })[],
  begun: Date,
): Promise<readonly installations.Shown[]> {
  const dead = tried.flatMap(({ delivery, token, answer }) =>
    answer.outcome === 'invalid_token'
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

/** Ends messages, counts what came to an end and tells of it. */
async function finish(tx: Db, done: readonly Done[], invalidated: readonly installations.Shown[]): Promise<void> {
  const over = done.filter(({ verdict }) => verdict.status !== 'queued')
  await messages.endMany(tx, [...new Set(over.map(({ delivery }) => delivery.message_id))])
  await daily.count(
    tx,
    over.flatMap(({ delivery, message, verdict }) =>
      verdict.status === 'queued' || message?.dry_run
        ? []
        : [{ ...pick(delivery), status: verdict.status, reason: verdict.status === 'sent' ? null : verdict.reason }],
    ),
  )
  const failed = over.filter(({ verdict }) => verdict.status === 'failed' || verdict.status === 'expired')
  await emitMany(tx, [
    ...failed.map(({ delivery, message, verdict }) => ({
      orgId: delivery.org_id,
      type: 'push.failed',
      data: {
        message_id: delivery.message_id,
        delivery_id: delivery.id,
        app_id: delivery.app_id,
        user_id: message?.user_id ?? null,
        installation_id: delivery.installation_id,
        provider: delivery.provider,
        status: verdict.status,
        reason: verdict.reason,
      },
    })),
    ...invalidated.map((device) => ({
      orgId: device.org_id,
      type: 'push.installation.invalidated',
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

const pick = ({ org_id, app_id, created_at, provider, platform }: Claimed) => ({
  org_id,
  app_id,
  created_at,
  provider,
  platform,
})

/** Answers of which all must be faults before the provider is held to be away. */
const leastFaults = 20

/**
 * Why a provider is held to be away: it took nothing of a batch and answered with 5xx, or not at all. Web push knows no such
 * thing: each browser's maker has a service of its own.
 */
function outage(answers: readonly PushResult[], { credential }: About): string | undefined {
  if (credential?.provider === 'webpush' || answers.length < leastFaults) return undefined
  const isFault = ({ outcome, status = 500, reason }: PushResult) =>
    (outcome === 'retry' || outcome === 'unknown') && status >= 500 && reason !== 'not_sent'
  return answers.every(isFault) ? (answers[0]?.reason ?? 'no_answer') : undefined
}

/** Opens the breaker of a credential that was refused, or whose provider is away, and closes it when one is good again; returns until when it is open. */
async function judgeCredential(
  tx: Db,
  { credential, probing }: About,
  refusal: string | undefined,
): Promise<Date | undefined> {
  if (!credential) return undefined
  if (refusal !== undefined) return (await credentials.trip(tx, credential.id, refusal, probing)) ?? undefined
  if (probing) await credentials.close(tx, credential.id)
  return undefined
}
