import { Address } from '#lib/email-address.ts'
import type { Fault } from '#lib/errors.ts'
import { listPlaceholders } from '#lib/placeholders.ts'
import type { Action } from '#sql/automation/actions.ts'
import type { Rule } from '#sql/automation/rules.ts'
import type { Db } from '#sql/db.ts'
import * as templates from '#sql/email/templates.ts'
import * as workflows from '#sql/notify/workflows.ts'
import type { Scope } from '../../account/rules/scopes.ts'
import { isTemplateId } from '../../email/rules/templates/names.ts'
import { findUrlFault, hasLocalOrg, isLocalOrg } from '../../webhooks/rules/endpoint-url.ts'
import type { EventType } from '../../webhooks/rules/event-types.ts'
import { isKnownPath, typesOf } from './event-paths.ts'
import { findFaults } from './placeholders.ts'

/** Scope that a caller needs for a rule with an action, in addition to `automation:write`. */
export const scopeOfAction: Readonly<Record<Action['type'], Scope>> = {
  workflow: 'notify:write',
  job: 'jobs:write',
  template: 'email:send',
}

/** Returns the faults of a rule that its form does not show: unknown paths, placeholders, and missing objects. */
export async function findRuleFaults(
  db: Db,
  { org_id, event, conditions, action }: Pick<Rule, 'org_id' | 'event' | 'conditions' | 'action'>,
): Promise<Fault[]> {
  const types = typesOf(event)
  return [
    ...conditions.flatMap(({ path }, i) =>
      isKnownPath(types, path)
        ? []
        : [
            {
              field: `body.conditions.${i}.path`,
              issue: `must be a field of the event’s data, but ${event} has no \`${path}\``,
            },
          ],
    ),
    ...placeholderFaults(action, types),
    ...findTextFaults(action),
    ...(await findObjectFaults(db, org_id, action)),
  ]
}

/** Fields of actions that cannot contain placeholders. */
const fixedFields = ['type', 'workflow', 'template', 'from', 'method', 'header_names', 'retries']

function placeholderFaults(action: Action, types: readonly EventType[]): Fault[] {
  return Object.entries(action)
    .filter(([name]) => !fixedFields.includes(name) && !(action.type === 'job' && name === 'url'))
    .flatMap(([name, value]) => findFaults(value, types, [name]))
    .map(({ path, issue }) => ({ field: `body.action.${path.join('.')}`, issue }))
}

/** Returns the faults of addresses and URLs without placeholders. Others are checked with the values of each event. */
function findTextFaults(action: Action): Fault[] {
  const isFixed = (text: string | null): text is string => text !== null && listPlaceholders(text).length === 0
  const fault = (name: string, issue: string): Fault => ({ field: `body.action.${name}`, issue })
  const addressFault = (name: string, text: string | null) =>
    isFixed(text) && !Address.safeParse(text.trim()).success
      ? [fault(name, 'must be an email address, or contain a placeholder')]
      : []
  if (action.type === 'template') return addressFault('to', action.to)
  if (action.type !== 'workflow') return []
  const isLink = !isFixed(action.url) || /^https?:$/.test(URL.parse(action.url)?.protocol ?? '')
  return [
    ...addressFault('email', action.email),
    ...(isLink ? [] : [fault('url', 'must be a URL, such as https://example.com, or contain a placeholder')]),
  ]
}

async function findObjectFaults(db: Db, orgId: string, action: Action): Promise<Fault[]> {
  if (action.type === 'workflow') {
    const found = await workflows.find(db, orgId, action.workflow)
    return found ? [] : [{ field: 'body.action.workflow', issue: 'must be the key of one of your workflows' }]
  }
  if (action.type === 'job') {
    const issue = findUrlFault(action.url, { local: hasLocalOrg && (await isLocalOrg(db, orgId)) })
    return issue === undefined ? [] : [{ field: 'body.action.url', issue }]
  }
  const found = isTemplateId(action.template)
    ? await templates.find(db, orgId, action.template)
    : await templates.findByAlias(db, orgId, action.template)
  if (found?.kind === 'email') return []
  return [
    {
      field: 'body.action.template',
      issue: 'must be the ID or the alias of one of your templates of the kind `email`',
    },
  ]
}
