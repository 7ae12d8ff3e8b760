import { config } from '#lib/config.ts'
import { newId } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as claims from '#sql/email/claims.ts'
import { suspendToday } from '#sql/email/mx-sets.ts'
import { insertAttempts } from '#sql/email/settle.ts'
import { ageOf, takeOfToday } from '#sql/email/warm-up.ts'
import { localAddresses } from '#tasks/email/rules/ip-addresses.ts'
import { type Shared, type Site, siteOf } from './site.ts'

/** Messages taken at once: few enough that none waits for long behind others, and enough to share the cost of a look. */
export const batchSize = { transactional: 10, campaign: 20 } as const

/** Messages that were taken. */
export interface Batch {
  /** All that are under the connection's lease now. */
  taken: readonly claims.Claimed[]
  /** Those that may leave. */
  messages: readonly claims.Claimed[]
}

/** Takes the next messages of a site; of what a worker left behind that is gone, it is recorded that it may have arrived. */
export async function takeBatch(shared: Shared, db: DatabasePool, site: Site): Promise<Batch> {
  const { pool } = shared
  const taken = await claims.claim(db, {
    connection: site.id,
    pool,
    mxSet: site.route.mxSet,
    domain: site.domain,
    address: site.address.address,
    addresses: localAddresses(pool).map(({ address }) => address),
    limit: batchSize[pool],
  })
  const lost = taken.filter((message) => message.lost)
  if (lost.length > 0) await noteLost(shared, db, site, lost)
  return { taken, messages: await withinWarmUp(shared, db, site, taken) }
}

const lostReply = { stage: 'worker', code: null, enhanced: null, text: 'the worker went while it was at it', ms: 0 }

async function noteLost(
  { pool }: Shared,
  db: DatabasePool,
  { address }: Site,
  lost: readonly claims.Claimed[],
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

/** As much of a batch as may leave from a new address today (MAIL_WARMUP). */
async function withinWarmUp(
  shared: Shared,
  db: DatabasePool,
  site: Site,
  batch: readonly claims.Claimed[],
): Promise<readonly claims.Claimed[]> {
  const { address } = site.address
  if (config.MAIL_WARMUP.length === 0 || address === '' || batch.length === 0) return batch
  const age = await ageOf(db, address)
  const cap = config.MAIL_WARMUP.findLast(([day]) => day <= age)?.[1] ?? 0
  if (cap === 0) return batch
  const got = await takeOfToday(db, address, batch.length, cap)
  if (got < batch.length) {
    await suspendToday(db, siteOf(shared, site), `${cap} messages a day leave from a new address (MAIL_WARMUP)`)
  }
  return batch.slice(0, got)
}
