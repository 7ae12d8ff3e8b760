import { config } from '#lib/config.ts'
import type { Db } from '#sql/db.ts'
import * as ipPools from '#sql/email/delivery/ip-pools.ts'
import { getDedicatedPool, getSharedPool, IpPool, type PoolKey } from '#sql/email/delivery/pool-keys.ts'

export interface LocalAddress {
  /** If empty, the system chooses the address. */
  address: string
  /** Name in the greeting. It must match DNS. */
  name: string
}

const given: Record<IpPool, readonly string[]> = {
  transactional: config.MAIL_TRANSACTIONAL_ADDRESSES,
  campaign: config.MAIL_CAMPAIGN_ADDRESSES,
}

/**
 * Returns the addresses of a shared pool. If none is configured, returns one entry for which the system chooses the
 * address.
 */
export function localAddresses(pool: IpPool): readonly LocalAddress[] {
  const pairs = given[pool].map((pair) => pair.split('=') as [string, string])
  if (pairs.length === 0) return [{ address: '', name: config.MAIL_HOSTNAME }]
  return pairs.map(([address, name]) => ({ address, name }))
}

/** Returns all addresses of a pool, of any worker. Empty if a dedicated pool was deleted. */
export async function listAddresses(db: Db, key: PoolKey): Promise<readonly LocalAddress[]> {
  const dedicated = getDedicatedPool(key)
  if (dedicated === null) return localAddresses(getSharedPool(key))
  return (await ipPools.find(db, dedicated))?.addresses ?? []
}

export const ownAddresses = (): string[] => [
  ...IpPool.options.flatMap((pool) => localAddresses(pool).flatMap(({ address }) => address || [])),
  ...config.MAIL_DEDICATED_ADDRESSES,
]
