import type { Db } from '#sql/db.ts'
import * as prefixes from '#sql/verify/prefixes.ts'
import type { Settings } from '#sql/verify/settings.ts'
import * as verifications from '#sql/verify/verifications.ts'
import { emit } from '../../webhooks/rules/emit.ts'
import { prefixOf, widePrefixOf } from './recipients.ts'

/** A wider range has more people, so it needs more starts before it is blocked. */
const wideFactor = 3

/**
 * True if the range of a phone number gets no codes. Blocks the range if it had many starts within an hour and few of
 * them were approved: somebody earns money from the messages, or tries numbers one after the other. The caller has
 * locked the counters of the organisation, so concurrent starts are counted one after the other.
 */
export async function isPrefixBlocked(tx: Db, orgId: string, phone: string, settings: Settings): Promise<boolean> {
  const decision = await prefixes.findFor(tx, orgId, phone)
  if (decision) return decision.state === 'blocked'
  const ranges = [
    { prefix: prefixOf(phone), least: settings.prefix_starts },
    { prefix: widePrefixOf(phone), least: settings.prefix_starts * wideFactor },
  ]
  for (const { prefix, least } of ranges) {
    if (prefix === undefined) continue
    const { starts, approved } = await verifications.countPrefix(tx, orgId, prefix)
    if (starts < least || approved * 100 >= starts * settings.prefix_conversion) continue
    await block(tx, { org_id: orgId, prefix, starts, approved, hours: settings.prefix_block_hours })
    return true
  }
  return false
}

async function block(
  tx: Db,
  range: Pick<prefixes.Decision, 'org_id' | 'prefix' | 'starts' | 'approved' | 'hours'>,
): Promise<void> {
  const { prefix, starts, approved, ends_at } = await prefixes.decide(tx, {
    ...range,
    state: 'blocked',
    source: 'automatic',
  })
  await emit(tx, range.org_id, 'verify.prefix_blocked', {
    prefix,
    starts,
    approved,
    ends_at: ends_at?.toISOString() ?? null,
  })
}
