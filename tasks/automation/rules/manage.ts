import { badRequest, forbidden } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import * as audit from '#sql/account/audit.ts'
import type { Action } from '#sql/automation/actions.ts'
import * as rules from '#sql/automation/rules.ts'
import type { Db } from '#sql/db.ts'
import { lockOrgLimit } from '#sql/org-limits.ts'
import { readAuthority } from '../../account/rules/authority.ts'
import { actingKeyId, type Doer, toAct } from '../../account/rules/doer.ts'
import { findMissing } from '../../account/rules/scopes.ts'
import { openHeaders, sealHeaders } from './actions/job.ts'
import { findRuleFaults, scopeOfAction } from './check-rule.ts'

/** Maximum number of rules of an organisation. */
export const maxRules = 50

type Headers = Readonly<Record<string, string>>

export type RuleSettings = Pick<rules.Rule, 'name' | 'event' | 'mode' | 'conditions' | 'action' | 'max_per_minute'>

/** Returns the data for the audit log, without the texts of the action. */
const shown = ({ name, event, mode, action, state }: rules.Rule) => ({ name, event, mode, action: action.type, state })

/** Creates a rule. Returns null if the organisation has too many rules. */
export async function add(tx: Db, doer: Doer, settings: RuleSettings, headers: Headers): Promise<rules.Rule | null> {
  await demandAction(tx, doer, settings.action)
  await demandSound(tx, doer.orgId, settings)
  await lockOrgLimit(tx, doer.orgId, 'automation.rules')
  if ((await rules.count(tx, doer.orgId)) >= maxRules) return null
  const id = newId()
  const row = { ...settings, id, org_id: doer.orgId, key_id: actingKeyId(doer) }
  const rule = await rules.insert(tx, { ...row, secret_headers: sealHeaders(headers, id) })
  await audit.append(tx, { ...toAct(doer), action: 'rule.created', target: id, after: shown(rule) })
  return rule
}

/**
 * Updates a locked rule. Without `headers`, a job keeps its headers if the origin of its URL stays the same. Runs that
 * wait use the new action.
 */
export async function change(
  tx: Db,
  doer: Doer,
  before: rules.Rule,
  changes: Partial<RuleSettings> & { headers?: Headers | undefined },
): Promise<rules.Rule> {
  const { headers, ...given } = changes
  const settings = { ...before, ...given }
  await demandAction(tx, doer, settings.action)
  if (given.action) Object.assign(given, { secret_headers: sealAgain(before, given.action, headers) })
  if (given.action?.type === 'job' && headers === undefined && before.action.type === 'job')
    given.action = { ...given.action, header_names: before.action.header_names }
  await demandSound(tx, doer.orgId, settings)
  const after = Object.keys(given).length === 0 ? before : await rules.update(tx, before.id, given)
  const act = { action: 'rule.changed', target: before.id, before: shown(before), after: shown(after) }
  await audit.append(tx, { ...toAct(doer), ...act })
  return after
}

/** Returns the sealed headers of a changed action. Throws 400 if the headers would go to another server. */
function sealAgain(before: rules.Rule, action: Action, headers: Headers | undefined): string | null {
  if (action.type !== 'job') return null
  if (headers !== undefined) return sealHeaders(headers, before.id)
  if (before.action.type !== 'job' || before.secret_headers === null) return null
  if (new URL(before.action.url).origin !== new URL(action.url).origin) {
    const issue = 'is required, because the URL has another origin. Send the headers again, or {} to remove them.'
    throw badRequest([{ field: 'body.action.headers', issue }])
  }
  return sealHeaders(openHeaders(before) ?? {}, before.id)
}

/** Pauses or resumes a locked rule. */
export async function setState(
  tx: Db,
  doer: Doer,
  before: rules.Rule,
  state: 'enabled' | 'paused',
): Promise<rules.Rule> {
  if (before.state === state) return before
  if (state === 'enabled') await demandAction(tx, doer, before.action)
  const after = await rules.update(tx, before.id, { state })
  const action = state === 'enabled' ? 'rule.resumed' : 'rule.paused'
  await audit.append(tx, { ...toAct(doer), action, target: before.id })
  return after
}

/** Deletes a rule. Runs that wait fail. Returns null if the rule does not exist. */
export async function remove(tx: Db, doer: Doer, id: string): Promise<string | null> {
  const removed = await rules.remove(tx, doer.orgId, id)
  if (removed) await audit.append(tx, { ...toAct(doer), action: 'rule.deleted', target: id })
  return removed
}

/** Throws 403 unless the actor now has the scope of the action. */
async function demandAction(tx: Db, doer: Doer, { type }: Action): Promise<void> {
  const { grantor } = await readAuthority(tx, doer, 'areas:write')
  const scope = scopeOfAction[type]
  if (findMissing(grantor.scopes, scope).length > 0)
    throw forbidden(`Rules with the action \`${type}\` need the scope \`${scope}\`, which you do not have.`)
}

async function demandSound(tx: Db, orgId: string, settings: RuleSettings): Promise<void> {
  const faults = await findRuleFaults(tx, { org_id: orgId, ...settings })
  if (faults.length > 0) throw badRequest(faults)
}
