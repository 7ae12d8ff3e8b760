import type { DatabasePool } from '#sql/db.ts'
import type { WarmUp } from '#sql/email/delivery/ip-pools.ts'
import { type Site as MxSite, suspendToday } from '#sql/email/delivery/mx-sets.ts'
import { getAddressAge, takeDailyAllowance } from '#sql/email/delivery/warm-up.ts'

/**
 * Returns the messages that a new address may send today. If messages are left, the MX set waits until
 * tomorrow.
 */
export async function limitToWarmUp<T>(
  db: DatabasePool,
  site: MxSite,
  batch: readonly T[],
  warmUp: WarmUp,
): Promise<readonly T[]> {
  const { local_address: address } = site
  if (warmUp.length === 0 || address === '' || batch.length === 0) return batch
  const age = await getAddressAge(db, address)
  const cap = warmUp.findLast(([day]) => day <= age)?.[1] ?? 0
  if (cap === 0) return batch
  const got = await takeDailyAllowance(db, address, batch.length, cap)
  if (got < batch.length) {
    await suspendToday(db, site, `A new address can send ${cap} messages per day`)
  }
  return batch.slice(0, got)
}
