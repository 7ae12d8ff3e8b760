import { getDomain } from '#lib/email-address.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Reach } from '#sql/email/reach.ts'
import { getLockRefusal } from '#tasks/email/rules/consent/stream-rules.ts'
import { isSandbox } from './sandbox.ts'

/**
 * Returns which messages a key can access. A test key can access only messages of test mode. A key with `from_domains`
 * can access only messages from these domains.
 */
export const getReach = (key: Caller['key']): Reach => ({
  sandbox: isSandbox(key),
  fromDomains: key.locks.from_domains,
})

/** Returns the row, or null if the key cannot access it. */
export async function filterByReach<Row extends { sandbox: boolean; from_email: string }>(
  key: Caller['key'],
  found: Promise<Row | null>,
): Promise<Row | null> {
  const row = await found
  if (!row || (isSandbox(key) && !row.sandbox)) return null
  return getLockRefusal(getDomain(row.from_email), key.locks.from_domains) ? null : row
}
