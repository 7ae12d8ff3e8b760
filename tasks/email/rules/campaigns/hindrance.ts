import { getDomain } from '#lib/email-address.ts'
import type { Db } from '#sql/db.ts'
import type { Campaign } from '#sql/email/campaigns.ts'
import * as reputation from '#sql/email/delivery/reputation.ts'
import * as domains from '#sql/email/domains.ts'
import { getDomainRefusal } from '../consent/stream-rules.ts'

export async function findDomainOrFault(
  tx: Db,
  { org_id, from_email, sandbox }: Campaign,
): Promise<domains.EmailDomain | string> {
  const name = getDomain(from_email)
  const domain = await domains.find(tx, org_id, name)
  const refusal = getDomainRefusal(name, domain ?? undefined, undefined)
  if (refusal || !domain) return refusal?.message ?? ''
  if (sandbox || !(await reputation.pausedAmong(tx, [org_id])).has(org_id)) return domain
  return 'The reputation gate paused marketing.'
}
