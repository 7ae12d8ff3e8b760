import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as credentials from '#sql/push/credentials.ts'
import * as deliveries from '#sql/push/deliveries.ts'
import { Provider } from '#sql/push/installations.ts'
import * as messages from '#sql/push/messages.ts'
import { enqueue, enqueueMany } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import type { OnPushResults, PushEngine } from './engine.ts'
import { lateSeconds } from './rules/admit.ts'
import { type Batch, createPartRecorder } from './rules/as-they-come.ts'
import { judgeBatch } from './rules/judge-batch.ts'
import { preparePushes } from './rules/prepare.ts'
import { recordBatch } from './rules/record-batch.ts'
import { recordCredential } from './rules/record-credential.ts'
import { recordLost, recordResults } from './rules/record-results.ts'
import { releaseStreams } from './rules/release-streams.ts'
import { correctRenewedTokens } from './rules/renewed.ts'

/** Number of deliveries per job. If a worker dies, its deliveries in progress may be sent twice. */
export const batchSize = 500

/** Number of deliveries with which a rejected credential is tried again. */
const probeSize = 20

/** Timeout of a job in milliseconds. A batch starts no push after 15 s, and each push has its own timeout. */
const timeoutMs = 4 * 60_000

/**
 * Duration of a lease in seconds. It is longer than the job’s timeout, so that no other job sends the same delivery.
 */
const leaseSeconds = 5 * 60

/**
 * Maximum number of simultaneous wake-ups for deliveries that waited for a breaker. Each full batch wakes the next
 * batch.
 */
const mostWakes = 16

/** Time in seconds to wait for the next delivery if a wake-up finds none, because clocks of hosts differ. */
const skewSeconds = 15

const Wake = z.object({
  app_id: Id,
  provider: Provider,
  environment: z.enum(['production', 'sandbox']),
  /** Lease of this job’s deliveries. After a crash, the job finds its deliveries by this ID. */
  lease: Id,
  org_id: Id,
})
type Wake = z.infer<typeof Wake>

/**
 * Sends a batch of an app’s due deliveries to one provider. A job is only a wake-up: the deliveries are in the table,
 * so a job that finds none returns.
 */
export const deliver = task({
  name: 'push/deliver',
  pool: 'push',
  payload: Wake,
  timeout: timeoutMs,
  async run({ provider, ...rest }, { db, push, seal, signReceipts, signal }) {
    if (provider === 'sse') return await release(db, { ...rest, provider })
    const wake = { ...rest, provider }
    const credential = await credentials.findFor(db, wake)
    if (!credential) return await failAll(db, wake)
    if (credential.open) {
      await expireHeld(db, wake, credential)
      return await wakeAfterBreaker(db, wake, credential)
    }
    const probing = credential.half_open && (await credentials.reserveProbe(db, credential.id))
    if (credential.half_open && !probing) return
    const limit = probing ? probeSize : batchSize
    const claimed = await claim(db, wake, limit)
    if (claimed.length === 0) {
      if (probing) await credentials.releaseProbe(db, credential.id)
      return await wakeForNext(db, wake)
    }
    const secret = seal.open(credential.secret, credential.id)
    const batch = await preparePushes(db, wake.provider, claimed, signReceipts)
    const begun = new Date()
    const about = { lease: wake.lease, credential, probing, begun }
    const recorder = createPartRecorder(batch, async (part, answers, isLast) => {
      const results = answers && (await correctRenewedTokens(db, part.sendable, answers))
      const done = judgeBatch(part, results, credential.proven_at !== null)
      await recordBatch(db, about, done, async (tx) => {
        const openUntil = await recordCredential(tx, about, done)
        const delays = done.flatMap(({ verdict: { status, refusal, delay } }) =>
          status === 'queued' && refusal === undefined ? [delay] : [],
        )
        if (delays.length > 0) await wakeLater(tx, wake, delays)
        if (openUntil) await wakeAfterBreaker(tx, wake, { ...credential, open_until: openUntil })
        else if (isLast && probing) await wakeAll(tx, wake, mostWakes)
        else if (isLast && claimed.length === limit) await wakeAll(tx, wake, 1)
      })
    })
    const answers =
      secret === null ? undefined : await send(push, { ...credential, secret }, batch, signal, recorder.some)
    await recorder.rest(answers)
  },
})

/** Puts due deliveries into their streams, without a provider. */
async function release(db: DatabasePool, wake: Wake): Promise<void> {
  const limits = { lease: wake.lease, seconds: leaseSeconds, limit: batchSize }
  const found = await db.transaction(async (tx) => {
    const { count, delays } = await releaseStreams(tx, wake, limits)
    if (delays.length > 0) await wakeLater(tx, wake, delays)
    if (count === batchSize) await wakeAll(tx, wake, 1)
    return count
  })
  if (found === 0) await wakeForNext(db, wake)
}

async function send(
  push: PushEngine,
  credential: credentials.Credential,
  { sendable }: Batch,
  signal: AbortSignal,
  onResults: OnPushResults,
) {
  const { id, provider, environment, facts, secret } = credential
  if (sendable.length === 0) return []
  return await push.send(
    { id, provider, environment, facts, secret },
    sendable.map((one) => one.push),
    signal,
    onResults,
  )
}

/** Claims due deliveries. Deliveries that were lost with a worker are marked in the same transaction. */
async function claim(db: DatabasePool, wake: Wake, limit: number): Promise<readonly deliveries.ClaimedDelivery[]> {
  return await db.transaction(async (tx) => {
    const claimed = await deliveries.claim(tx, wake, { lease: wake.lease, seconds: leaseSeconds, limit })
    await recordLost(tx, claimed)
    return claimed
  })
}

/** Fails due deliveries to a provider for which the app has no credential. */
async function failAll(db: DatabasePool, wake: Wake): Promise<void> {
  const claimed = await claim(db, wake, batchSize)
  if (claimed.length === 0) return
  const ended = claimed.map((delivery) => ({ delivery, status: 'failed' as const, reason: 'no_credential' }))
  const about = { lease: wake.lease, credential: undefined, probing: false, begun: new Date() }
  await recordBatch(db, about, judgeBatch({ sendable: [], ended }, [], false), (tx) => wakeAll(tx, wake, mostWakes))
}

/** Ends deliveries that waited for a rejected credential until their message expired. The rejection is the reason. */
async function expireHeld(db: DatabasePool, wake: Wake, { open_reason }: credentials.Credential): Promise<void> {
  await db.transaction(async (tx) => {
    const limits = { lease: wake.lease, seconds: leaseSeconds, limit: batchSize, late: lateSeconds }
    const over = await deliveries.claimExpired(tx, wake, limits)
    if (over.length === 0) return
    const found = await messages.findSendable(
      tx,
      over.map(({ message_id }) => message_id),
    )
    const ended = over.map((delivery) => ({
      delivery,
      message: found.get(delivery.message_id),
      status: 'expired' as const,
      reason: open_reason ?? 'ttl',
    }))
    const about = { lease: wake.lease, credential: undefined, probing: false, begun: new Date() }
    await recordResults(tx, about, judgeBatch({ sendable: [], ended }, [], false))
    if (over.length === batchSize) await wakeAll(tx, wake, 1)
  })
}

export async function wakeLanes(
  tx: Db,
  wakes: readonly { lane: Omit<Wake, 'lease'>; deliveries: number; priority?: number }[],
): Promise<void> {
  const jobs = wakes.flatMap((one) => Array.from({ length: Math.ceil(one.deliveries / batchSize) }, () => one))
  if (jobs.length === 0) return
  const payloads = jobs.map(({ lane }) => ({ ...lane, lease: newId() }))
  await enqueueMany(tx, deliver, payloads, (i) => {
    const job = jobs[i] as (typeof jobs)[number]
    return { orgId: job.lane.org_id, priority: job.priority ?? 0 }
  })
}

async function wakeAll(tx: Db, lane: Omit<Wake, 'lease'>, most: number): Promise<void> {
  await wakeLanes(tx, [{ lane, deliveries: await deliveries.countDue(tx, lane, most * batchSize) }])
}

async function wakeForNext(db: DatabasePool, wake: Wake): Promise<void> {
  const seconds = await deliveries.getSecondsUntilDue(db, wake)
  if (seconds !== null && seconds < skewSeconds) await wakeLater(db, wake, [Math.max(0.1, seconds)])
}

/** Enqueues one job for the time at which the breaker is half-open. */
async function wakeAfterBreaker(
  tx: Db,
  { lease: _, ...lane }: Wake,
  { id, open_until }: Pick<credentials.Credential, 'id' | 'open_until'>,
): Promise<void> {
  const at = new Date((open_until?.getTime() ?? 0) + 200)
  await enqueue(tx, deliver, { ...lane, lease: newId() }, { orgId: lane.org_id, key: `push:breaker:${id}`, at })
}

/**
 * Adds jobs for deliveries that are due in `delays` seconds. Each time slot has one job for any number of batches. The
 * job runs at the end of the slot, when all its deliveries are due.
 */
export async function wakeLater(tx: Db, of: Omit<Wake, 'lease'>, delays: readonly number[]): Promise<void> {
  const { org_id, app_id, provider, environment } = of
  const lane = { org_id, app_id, provider, environment }
  const now = Date.now()
  const ends = new Set(
    delays.map((delay) => {
      const slotMs = delay < 1 ? 100 : delay < 60 ? 1_000 : 15_000
      return (Math.floor((now + delay * 1000) / slotMs) + 1) * slotMs
    }),
  )
  const slots = [...ends]
  const payloads = slots.map(() => ({ ...lane, lease: newId() }))
  await enqueueMany(tx, deliver, payloads, (i) => {
    const end = slots[i] as number
    const key = `push:${lane.app_id}:${lane.provider}:${lane.environment}:${end}`
    return { orgId: lane.org_id, key, at: new Date(end) }
  })
}
