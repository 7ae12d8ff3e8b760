import { badRequest, notFound } from '#lib/errors.ts'
import * as audit from '#sql/account/audit.ts'
import * as keys from '#sql/account/keys.ts'
import * as orgs from '#sql/account/orgs.ts'
import * as plans from '#sql/account/plans.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as controls from '#sql/jobs/controls.ts'
import * as rules from './keys.ts'

export interface OperatorBy {
  orgId: string
  actor: string
  operator: { id: string | null; name: string }
}

const actorOf = ({ operator }: OperatorBy): audit.Actor => ({ kind: 'operator', ...operator })

export async function movePlan(db: DatabasePool, by: OperatorBy, plan: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (!(await orgs.find(tx, by.orgId))) throw notFound('organisation')
    const before = await orgs.lock(tx, by.orgId)
    const known = (await plans.list(tx)).map(({ name }) => name)
    if (!known.includes(plan)) throw badRequest([{ field: 'plan', issue: `must be one of ${known.join(', ')}` }])
    if (before.plan === plan) return false
    await orgs.setPlan(tx, by.orgId, plan)
    const target = `${before.name} (${by.orgId}) from ${before.plan} to ${plan}`
    await controls.recordAction(tx, { actor: by.actor, action: 'set plan', target, count: 1 })
    await audit.append(tx, {
      orgId: by.orgId,
      actor: actorOf(by),
      action: 'organisation.plan_changed',
      target: by.orgId,
      before: { plan: before.plan },
      after: { plan },
    })
    return true
  })
}

export async function endKey(
  db: DatabasePool,
  by: OperatorBy,
  { keyId, reason }: { keyId: string; reason: string | undefined },
): Promise<boolean> {
  const { orgId } = by
  return await db.transaction(async (tx) => {
    if (!(await keys.find(tx, orgId, keyId))) throw notFound('key')
    if (!(await rules.endKey(tx, { orgId, actor: actorOf(by) }, keyId))) return false
    await controls.recordAction(tx, {
      actor: by.actor,
      action: 'revoke',
      target: `key ${keyId} of ${orgId}`,
      count: 1,
      reason,
    })
    return true
  })
}
