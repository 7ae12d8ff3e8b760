import { config } from '#lib/config.ts'
import type { Db } from '#sql/db.ts'
import { listViews } from '#sql/email/delivery/ip-pools.ts'
import { getAddressAge } from '#sql/email/delivery/warm-up.ts'

export interface PoolState {
  name: string
  addresses: {
    address: string
    name: string
    /** Maximum number of messages today. Null if there is no maximum. */
    daily_limit: number | null
    /** Messages that counted in a daily maximum today (UTC). Null if none were counted. */
    sent_today: number | null
  }[]
  waiting: number
  has_worker: boolean
}

/** Returns the dedicated IP pool of an organisation. Null if it has none. */
export async function findPoolState(db: Db, orgId: string): Promise<PoolState | null> {
  const [pool] = await listViews(db, orgId)
  if (!pool) return null
  const schedule = pool.warm_up ?? config.MAIL_WARMUP
  const addresses = []
  for (const { address, name } of pool.addresses) {
    const age = schedule.length > 0 ? await getAddressAge(db, address) : 0
    const daily_limit = schedule.findLast(([day]) => day <= age)?.[1] || null
    addresses.push({ address, name, daily_limit, sent_today: pool.today[address] ?? null })
  }
  return { name: pool.name, addresses, waiting: pool.waiting, has_worker: pool.live.length > 0 }
}
