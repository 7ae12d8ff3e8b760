import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { operatorScope } from '#lib/tokens.ts'
import * as keys from '#sql/account/keys.ts'
import * as orgs from '#sql/account/orgs.ts'
import * as plans from '#sql/account/plans.ts'
import type { DatabasePool } from '#sql/db.ts'
import { endKey, movePlan } from '#tasks/account/rules/operate.ts'
import { html } from '../../http/html/html.ts'
import { mustFind } from '../../http/must-find.ts'
import { type Action, type ActionContext, type ActionFields, read } from '../action.ts'

const OfOrg = z.object({ org: Id })
const OfPlan = OfOrg.extend({ plan: z.string().max(100) })
const OfKey = OfOrg.extend({ key: Id })
const Reason = z.object({ reason: z.string().trim().max(200).optional() })

const orgOf = async (db: DatabasePool, given: ActionFields) =>
  await mustFind(orgs.find(db, read(OfOrg, given).org), 'organisation')

const by = (orgId: string, { actor, operator }: ActionContext) => ({ orgId, actor, operator })

const setPlan: Action = {
  async question(db, given) {
    const org = await orgOf(db, given)
    const options = (await plans.list(db)).map(
      ({ name }) => html`<option${name === org.plan && html` selected`}>${name}</option>`,
    )
    const text = html`The current plan is <em>${org.plan}</em>. The new plan applies everywhere within seconds. Existing usage above a lower limit is kept, but new usage is rejected. The audit log of the organisation records this action.`
    const fields = html`<div class="fields"><div><label for="plan">Plan</label><select id="plan" name="plan">${options}</select></div></div>`
    return { title: `Set the plan of ${org.name}?`, text, button: 'Set plan', fields }
  },
  async perform(db, given, context) {
    const { plan } = read(OfPlan, given)
    const org = await orgOf(db, given)
    return (await movePlan(db, by(org.id, context), plan))
      ? `${org.name} is on the ${plan} plan.`
      : `${org.name} was already on the ${plan} plan.`
  },
}

const reasonField = html`<div class="fields"><div class="wide"><label for="reason">Reason (optional, not shown to the organisation)</label>
<input id="reason" name="reason" maxlength="200" autocomplete="off"></div></div>`

const revokeKey: Action = {
  async question(db, given) {
    const { org: orgId, key: keyId } = read(OfKey, given)
    const org = await orgOf(db, given)
    const key = await mustFind(keys.find(db, orgId, keyId), 'key')
    const opens =
      key.scopes.includes(operatorScope) &&
      ' This key is also used to sign in to this console. Its console sessions end.'
    const text = html`Organisation: <em>${org.name}</em>. The key stops working within seconds. You cannot undo this. The audit log of the organisation records this action.${opens}`
    return { title: `Revoke API key ${key.name}?`, text, button: 'Revoke API key', grave: true, fields: reasonField }
  },
  async perform(db, given, context) {
    const { org: orgId, key: keyId } = read(OfKey, given)
    const reason = read(Reason, given).reason || undefined
    const key = await mustFind(keys.find(db, orgId, keyId), 'key')
    return (await endKey(db, by(orgId, context), { keyId, reason }))
      ? `API key ${key.name} revoked.`
      : `API key ${key.name} was already revoked.`
  },
}

export const customerActions: Readonly<Record<string, Action>> = { 'set-plan': setPlan, 'revoke-key': revokeKey }
