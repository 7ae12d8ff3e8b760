import { domainOf } from '#lib/email-address.ts'
import type { Db } from '#sql/db.ts'
import type { Campaign } from '#sql/email/campaigns.ts'
import * as domains from '#sql/email/domains.ts'
import * as reputation from '#sql/email/reputation.ts'
import { refusalOfDomain } from './stream-rules.ts'

export async function domainOrHindrance(
  tx: Db,
  { org_id, from_email, sandbox }: Campaign,
): Promise<domains.EmailDomain | string> {
  const name = domainOf(from_email)
  const domain = await domains.find(tx, org_id, name)
  const refusal = refusalOfDomain(name, domain ?? undefined, undefined)
  if (refusal || !domain) return refusal?.message ?? ''
  if (sandbox || !(await reputation.pausedAmong(tx, [org_id])).has(org_id)) return domain
  return 'The reputation gate paused marketing.'
}
