import { forbidden, notFound } from '#lib/errors.ts'
import * as audit from '#sql/account/audit.ts'
import * as grants from '#sql/account/people/support-grants.ts'
import type { Db } from '#sql/db.ts'
import { demandOwner } from './authority.ts'
import { type Doer, toAct } from './doer.ts'

export const maxSupportHours = 72

const ownerWords = 'Only an owner can allow operator access, in the dashboard.'

export async function grantSupport(
  tx: Db,
  doer: Doer,
  { reason, hours }: { reason: string; hours: number },
): Promise<grants.Grant> {
  const grantedBy = await demandOwner(tx, doer, 'support', ownerWords)
  const grant = await grants.insert(tx, {
    orgId: doer.orgId,
    grantedBy,
    reason,
    hours: Math.min(hours, maxSupportHours),
  })
  await audit.append(tx, {
    ...toAct(doer),
    action: 'support.granted',
    target: grant.id,
    after: { reason, expires_at: grant.expires_at.toISOString() },
  })
  return grant
}

export async function endSupport(tx: Db, doer: Doer, id: string): Promise<void> {
  await demandOwner(tx, doer, 'support', ownerWords)
  if (!(await grants.end(tx, doer.orgId, id))) throw notFound('grant')
  await audit.append(tx, { ...toAct(doer), action: 'support.ended', target: id })
}

export async function supportBanner(db: Db, orgId: string): Promise<string | null> {
  const [last] = await grants.listRunning(db, orgId)
  if (!last) return null
  const until = last.expires_at.toISOString().slice(0, 16).replace('T', ' ')
  return `Operators of this installation can read metadata of your organisation until ${until} UTC, but no contents and no secrets.`
}

export async function recordSupportRead(
  tx: Db,
  operator: audit.Actor,
  { orgId, what }: { orgId: string; what: string },
): Promise<void> {
  if ((await grants.listRunning(tx, orgId)).length === 0) {
    throw forbidden('No owner of this organisation currently allows operator access.')
  }
  await audit.append(tx, { orgId, actor: operator, action: 'support.read', target: what })
}
