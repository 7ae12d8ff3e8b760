import { config } from '#lib/config.ts'
import { IpPool } from '#sql/email/deliveries.ts'

/** An address that mail leaves from. */
export interface LocalAddress {
  /** Empty for the system's choice. */
  address: string
  /** What it greets with: its name in DNS. */
  name: string
}

const given: Record<IpPool, readonly string[]> = {
  transactional: config.MAIL_TRANSACTIONAL_ADDRESSES,
  campaign: config.MAIL_CAMPAIGN_ADDRESSES,
}

/** The addresses of a pool; without any, the one that the system chooses. */
export function localAddresses(pool: IpPool): readonly LocalAddress[] {
  const pairs = given[pool].map((pair) => pair.split('=') as [string, string])
  if (pairs.length === 0) return [{ address: '', name: config.MAIL_HOSTNAME }]
  return pairs.map(([address, name]) => ({ address, name }))
}

/** The addresses of all pools, but for the system's choice. */
export const ownAddresses = (): string[] =>
  IpPool.options.flatMap((pool) => localAddresses(pool).flatMap(({ address }) => address || []))
