import { z } from 'zod'
import { withoutControl } from '#lib/characters.ts'
import { endSupport, grantSupport, maxSupportHours } from '#tasks/account/rules/support.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { textField } from '../../http/html/form.ts'
import { formatInstant } from '../../http/html/format.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { pathId } from '../../http/request/validate.ts'
import { parseInput, readNumber } from './input.ts'
import { section } from './settings.ts'

const Leave = z.object({
  reason: z.string().trim().min(1).max(500).regex(withoutControl, 'must not contain control characters'),
  hours: z.int().min(1).max(maxSupportHours),
})

export const { show: askForLeave, submit: letIn } = formPage({
  path: '/settings/support',
  summary: 'Allow operator access',
  section,
  permission: 'support',
  stepUp: true,
  fields: z.object({ reason: z.string().max(10_000), hours: z.string().max(20) }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Settings', section.path)}<h1>Allow operator access</h1>${renderFault(fault)}
<p class="lead">Operators can read the metadata of ${member.orgName}, but not its content or secrets. Every page shows that access is allowed. The audit log records each view.</p>
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'reason', label: 'Reason', required: true, hint: 'The reason is visible to operators and in your audit log.' })}
${textField(filled, { name: 'hours', label: 'Hours', type: 'number', required: true, otherwise: '24', hint: `1 to ${maxSupportHours}` })}
<button>Allow operator access</button></form>`
    return { title: 'Allow operator access', main }
  },
  async submit({ db, doer, given }) {
    const wanted = parseInput(Leave, { reason: given.reason, hours: readNumber(given.hours) ?? '' })
    const { expires_at } = await db.transaction((tx) => grantSupport(tx, doer, wanted))
    return { to: section.path, told: `Operators can read metadata until ${formatInstant(expires_at)} UTC.` }
  },
})

export const end = action({
  path: '/settings/support/{id}/end',
  summary: 'End operator access',
  permission: 'support',
  params: z.object({ id: pathId('grant') }),
  back: () => section.path,
  async perform({ db, doer, params: { id } }) {
    await db.transaction((tx) => endSupport(tx, doer, id))
    return { to: section.path, told: 'Operator access ended.' }
  },
})
