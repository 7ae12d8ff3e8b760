import { newId } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as claims from '#sql/email/delivery/claims.ts'
import { moveTaken } from '#sql/email/delivery/misplaced.ts'
import { getDedicatedPool } from '#sql/email/delivery/pool-keys.ts'
import { insertAttempts } from '#sql/email/delivery/settle.ts'
import { enqueuePlaces } from '../wake-delivery.ts'
import { type DeliveryState, type Site, toMxSite } from './state.ts'
import { limitToWarmUp } from './warm-up.ts'

/**
 * Number of messages taken at the same time. It is low, so that no message waits long, but high enough to share the
 * cost of a check.
 */
export const batchSize = { transactional: 10, campaign: 20 } as const

export interface Batch {
  /** All messages under the lease of the connection. */
  taken: readonly claims.ClaimedMessage[]
  messages: readonly claims.ClaimedMessage[]
}

/** Takes the next messages of a site. Messages of a dead worker are recorded as possibly delivered. */
export async function takeBatch(state: DeliveryState, db: DatabasePool, site: Site): Promise<Batch> {
  const { pool, shared, addresses, warmUp } = state
  const claimed = await claims.claim(db, {
    connection: site.id,
    pool,
    mxSet: site.route.mxSet,
    domain: site.domain,
    address: site.address.address,
    addresses: addresses.map(({ address }) => address),
    limit: batchSize[shared],
  })
  const lost = claimed.filter((message) => message.lost)
  if (lost.length > 0) await recordLost(state, db, site, lost)
  const taken = await withoutStrays(state, db, site, claimed)
  const messages = site.route.isLocal ? taken : await limitToWarmUp(db, toMxSite(state, site), taken, warmUp)
  return { taken, messages }
}

/** Moves messages of organisations that no longer have this pool. All their email leaves from the pool that they have. */
async function withoutStrays(
  { pool }: DeliveryState,
  db: DatabasePool,
  { id }: Site,
  claimed: readonly claims.ClaimedMessage[],
): Promise<readonly claims.ClaimedMessage[]> {
  const dedicated = getDedicatedPool(pool)
  const strays = claimed.filter(({ ip_pool }) => ip_pool !== dedicated)
  if (strays.length === 0) return claimed
  await db.transaction(async (tx) => {
    const places = await moveTaken(
      tx,
      id,
      strays.map((message) => message.id),
    )
    await enqueuePlaces(tx, places)
  })
  return claimed.filter(({ ip_pool }) => ip_pool === dedicated)
}

const lostReply = { stage: 'worker', code: null, enhanced: null, text: 'the worker stopped during the attempt', ms: 0 }

async function recordLost(
  { shared: pool }: DeliveryState,
  db: DatabasePool,
  { address }: Site,
  lost: readonly claims.ClaimedMessage[],
): Promise<void> {
  const at = new Date().toISOString()
  const facts = { reply_class: null, mx_host: null, mx_address: null, tls: null, started_at: at, ended_at: at }
  await insertAttempts(
    db,
    lost.map(({ id, org_id, attempts }) => ({
      id: newId(),
      org_id,
      message_id: id,
      number: attempts,
      outcome: 'unknown' as const,
      pool,
      local_address: address.address || null,
      replies: [lostReply],
      ...facts,
    })),
  )
}
