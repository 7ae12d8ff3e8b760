import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { LocalTime } from '#lib/input-types.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { optionalField, selectField, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { create } from '../messages.ts'
import { section } from './mail.ts'

const limit = 100_000

export const { show: askForMail, submit: send } = formPage({
  path: '/mail/new',
  summary: 'Send an email',
  section,
  permission: 'areas:write',
  fields: z.object({
    from: z.string(),
    to: z.string(),
    stream: z.string(),
    subject: z.string().max(1_000),
    text: z.string().max(limit),
    cc: z.string().max(limit).default(''),
    bcc: z.string().max(limit).default(''),
    tags: z.string().max(limit).default(''),
    send_at: optionalField(LocalTime),
  }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Email', section.path)}<h1>Send an email</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'from', label: 'From', type: 'email', required: true, hint: 'An address in a verified domain.' })}
${textField(filled, { name: 'to', label: 'To', type: 'email', required: true, otherwise: member.email })}
${textField(filled, { name: 'cc', label: 'Cc', hint: 'Optional. Addresses separated by commas.' })}
${textField(filled, { name: 'bcc', label: 'Bcc', hint: 'Optional. Hidden from the other recipients.' })}
${selectField(filled, { name: 'stream', label: 'Stream', options: ['transactional', 'security'].map((one) => [one, one] as const) })}
${textField(filled, { name: 'subject', label: 'Subject', required: true })}
<div class="field"><label for="text">Text</label><textarea id="text" name="text" required>${[filled.given.text ?? ''].flat()[0]}</textarea>${filled.faults.text && html`<p class="fault">${filled.faults.text}</p>`}</div>
${textField(filled, { name: 'send_at', label: 'Send time (UTC)', type: 'datetime-local', hint: 'Optional. Leave blank to send now. Up to 30 days ahead.' })}
${textField(filled, { name: 'tags', label: 'Tags', hint: 'Optional. For example, kind:invoice. Separated by commas.' })}
<button>Send email</button></form>`
    return { title: 'Send an email', main }
  },
  async submit({ ask, given: { from, cc, bcc, tags, send_at, ...given } }) {
    const body = {
      ...given,
      from: { email: from },
      ...(listOf(cc).length > 0 && { cc: listOf(cc) }),
      ...(listOf(bcc).length > 0 && { bcc: listOf(bcc) }),
      ...(listOf(tags).length > 0 && { tags: listOf(tags).map(tagOf) }),
      ...(send_at !== undefined && { send_at: new Date(`${send_at}Z`).toISOString() }),
    }
    const { id } = await ask(create, { body }, z.object({ id: Id }))
    return { to: `/app/mail/${id}`, told: 'Email accepted.' }
  },
})

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

function tagOf(text: string): { name: string; value: string } {
  const [name = '', ...value] = text.split(':')
  return { name: name.trim(), value: value.join(':').trim() }
}
