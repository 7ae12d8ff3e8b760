import { domainOf } from '#lib/email-address.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Reach } from '#sql/email/reach.ts'
import { refusalOfLock } from '#tasks/email/rules/stream-rules.ts'
import { isSandbox } from './sandbox.ts'

/** The mail that a key reads and changes: a test key that of test mode, a key that is locked to domains mail from these. */
export const reachOf = (key: Caller['key']): Reach => ({ sandbox: isSandbox(key), fromDomains: key.locks.from_domains })

/** The row; null where the key does not reach it: a test key live mail, a key that is locked to domains mail from others. */
export async function reached<Row extends { sandbox: boolean; from_email: string }>(
  key: Caller['key'],
  found: Promise<Row | null>,
): Promise<Row | null> {
  const row = await found
  if (!row || (isSandbox(key) && !row.sandbox)) return null
  return refusalOfLock(domainOf(row.from_email), key.locks.from_domains) ? null : row
}
