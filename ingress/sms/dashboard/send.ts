import { z } from 'zod'
import { conflict, Problem } from '#lib/errors.ts'
import * as providers from '#sql/sms/providers.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { linesField, optionalField, selectField, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { create } from '../messages.ts'
import { kindTitles, phoneLink, section } from './section.ts'

const text = z.string().default('')

export const { show: write, submit: send } = formPage({
  path: '/sms/send',
  summary: 'Send a text message',
  section,
  permission: 'areas:write',
  fields: z.object({ to: text, text, from: optionalField(z.string()), provider_id: optionalField(z.string()) }),
  async view({ db, member, services, filled, fault }) {
    const known = (await providers.findByOrgs(db, [member.orgId])).get(member.orgId) ?? []
    const options = known.map(({ id, name, kind }) => [id, `${name} (${kindTitles[kind]})`] as const)
    const main = html`${parentLink('SMS', section.path)}<div class="title"><h1>Send a message</h1><p class="actions">${phoneLink()}</p></div>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'to', label: 'Phone number', required: true, hint: 'In E.164 format. For example, +3725550101.' })}
${linesField(filled, { name: 'text', label: 'Text', required: true, prose: true, hint: 'A segment has up to 160 characters of the GSM alphabet, or 70 other characters. Your provider bills each segment.' })}
${textField(filled, { name: 'from', label: 'Sender', hint: 'Optional. Default: the sender of the connection.' })}
${options.length > 1 && selectField(filled, { name: 'provider_id', label: 'Provider', options })}
<button>Send message</button></form>
${apiCall(services, 'sms.messages.create', { body: { to: '+3725550101', text: 'Your order is ready.' } })}`
    return { title: 'Send a message', main }
  },
  async submit({ ask, given: { to, text: said, ...more } }) {
    const body = { to: to.trim(), text: said.replaceAll('\r\n', '\n'), ...more }
    const { id } = await ask(create, { body }, z.object({ id: z.string() })).catch((error: unknown) => {
      // The form shows the message instead of an error page.
      throw error instanceof Problem && error.status === 503 ? conflict(error.message) : error
    })
    return { to: `${section.path}/messages/${id}`, told: 'Message accepted.' }
  },
})
