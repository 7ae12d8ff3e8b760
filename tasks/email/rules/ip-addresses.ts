import { config } from '#lib/config.ts'
import { IpPool } from '#sql/email/delivery/deliveries.ts'

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
 * Returns the addresses of a pool. If none is configured, returns one entry for which the system chooses the address.
 */
export function localAddresses(pool: IpPool): readonly LocalAddress[] {
  const pairs = given[pool].map((pair) => pair.split('=') as [string, string])
  if (pairs.length === 0) return [{ address: '', name: config.MAIL_HOSTNAME }]
  return pairs.map(([address, name]) => ({ address, name }))
}

export const ownAddresses = (): string[] =>
  IpPool.options.flatMap((pool) => localAddresses(pool).flatMap(({ address }) => address || []))
