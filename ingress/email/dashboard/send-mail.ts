import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { LocalTime } from '#lib/input-types.ts'
import * as domains from '#sql/email/domains.ts'
import { simulatedNames, simulatorDomain } from '#sql/email/simulator.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { linesField, optionalField, selectField, textField } from '../../http/html/form.ts'
import { type Html, html, queryString } from '../../http/html/html.ts'
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
    html: z.string().max(limit).default(''),
    cc: z.string().max(limit).default(''),
    bcc: z.string().max(limit).default(''),
    tags: z.string().max(limit).default(''),
    send_at: optionalField(LocalTime),
  }),
  query: z.object({ to: z.string().max(400).optional() }),
  formBytes: 512 * 1024,
  async view({ db, member, filled, fault, query: { to } }) {
    const verified = await domains.oldestVerified(db, member.orgId, undefined)
    const main = html`${parentLink('Email', section.path)}<h1>Send an email</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'from', label: 'From', type: 'email', required: true, otherwise: verified ? `hello@${verified.domain}` : '', hint: 'An address in a verified domain.' })}
${textField(filled, { name: 'to', label: 'To', type: 'email', required: true, otherwise: to ?? member.email })}
${tryOut()}
${textField(filled, { name: 'cc', label: 'Cc', hint: 'Optional. Addresses separated by commas.' })}
${textField(filled, { name: 'bcc', label: 'Bcc', hint: 'Optional. Hidden from the other recipients.' })}
${selectField(filled, { name: 'stream', label: 'Stream', options: ['transactional', 'security'].map((one) => [one, one] as const) })}
${textField(filled, { name: 'subject', label: 'Subject', required: true })}
${linesField(filled, { name: 'text', label: 'Text', required: true, prose: true, rows: 8 })}
${linesField(filled, { name: 'html', label: 'HTML', few: true, hint: 'Optional. Email clients show the HTML instead of the text.' })}
${textField(filled, { name: 'send_at', label: 'Send time (UTC)', type: 'datetime-local', hint: 'Optional. Leave blank to send now. Up to 30 days ahead.' })}
${textField(filled, { name: 'tags', label: 'Tags', hint: 'Optional. For example, kind:invoice. Separated by commas.' })}
<button>Send email</button></form>`
    return { title: 'Send an email', main }
  },
  async submit({ ask, given: { from, cc, bcc, tags, send_at, html: letter, ...given } }) {
    const body = {
      ...given,
      from: { email: from },
      ...(letter.trim() !== '' && { html: letter }),
      ...(listOf(cc).length > 0 && { cc: listOf(cc) }),
      ...(listOf(bcc).length > 0 && { bcc: listOf(bcc) }),
      ...(listOf(tags).length > 0 && { tags: listOf(tags).map(tagOf) }),
      ...(send_at !== undefined && { send_at: new Date(`${send_at}Z`).toISOString() }),
    }
    const { id } = await ask(create, { body }, z.object({ id: Id }))
    return { to: `/app/mail/${id}`, told: 'Email accepted.' }
  },
})

const outcomes = { delivered: 'arrives', bounced: 'bounces', complained: 'is reported as spam', deferred: 'is delayed' }

/** Links that fill in a simulated recipient. JavaScript fills in the field, so that the other fields stay. */
const tryOut =
  (): Html => html`<div class="field"><p class="hint">Or send to the simulator. Its messages never leave this installation.</p>
<p class="try-out">${simulatedNames.map((name) => {
    const address = `${name}@${simulatorDomain()}`
    return html`<a class="button" href="/app/mail/new${queryString({ to: address })}" data-fill="to" data-value="${address}">${outcomes[name]}<span class="unseen">: ${address}</span></a> `
  })}</p></div>`

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

function tagOf(text: string): { name: string; value: string } {
  const [name = '', ...value] = text.split(':')
  return { name: name.trim(), value: value.join(':').trim() }
}
