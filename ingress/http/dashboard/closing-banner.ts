import * as closures from '#sql/account/closures.ts'
import type { DatabasePool } from '#sql/db.ts'
import { canRole } from '#tasks/account/rules/roles.ts'
import { formatInstant } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { actionButton } from '../html/parts.ts'
import type { Member } from './session.ts'

/** Renders when the organisation’s data will be deleted, and who closed it. `undefined` if the organisation is open. */
export async function closingBanner(db: DatabasePool, member: Member): Promise<Html | undefined> {
  if (!member.closing) return undefined
  const closure = await closures.find(db, member.orgId)
  if (closure?.state === 'running') return html`<p>Millrace is deleting all data of ${member.orgName}.</p>`
  if (closure?.state !== 'waiting') return undefined
  const by = closure.requested_by === null ? 'An operator' : closure.requested_by
  return html`<p><strong>${by} closed ${member.orgName}.</strong> All data will be deleted on <time datetime="${closure.due_at.toISOString()}">${formatInstant(closure.due_at)} UTC</time>.</p>
${canRole(member.role, 'closure') && actionButton(member, '/app/leaving/closure/cancel', 'Reopen organisation')}`
}
