import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as messages from '#sql/email/messages.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { create } from '../message-resends.ts'
import { section } from './mail.ts'

/** Statuses and streams of messages that cannot be resent. */
const excluded: readonly string[] = ['scheduled', 'queued', 'deferred', 'repermission'] satisfies (
  | messages.Status
  | messages.Stream
)[]

export const isResendable = ({ status, stream }: Pick<messages.Message, 'status' | 'stream'>): boolean =>
  !excluded.includes(status) && !excluded.includes(stream)

export const { show: askToResend, submit: resend } = formPage({
  path: '/mail/{id}/resend',
  summary: 'Send a message again',
  section,
  permission: 'areas:write',
  params: z.object({ id: pathId('message') }),
  fields: z.object({}),
  async view({ db, member, params: { id }, fault }) {
    const found = await mustFind(messages.find(db, member.orgId, id), 'message')
    const main = html`${parentLink(found.subject, `/app/mail/${id}`)}<h1>Send again?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>${found.to_email} receives a new message with the same content. The message counts in your plan. Copies receive nothing.</p>
<p class="actions"><button>Send again</button> <a class="button plain" href="/app/mail/${id}">Cancel</a></p></form>`
    return { title: 'Send again', main }
  },
  async submit({ ask, params: { id } }) {
    const sent = await ask(create, { params: { id } }, z.object({ id: Id, status: messages.Status }))
    const told =
      sent.status === 'suppressed' ? 'The address is suppressed, so nothing was sent.' : 'New message accepted.'
    return { to: `/app/mail/${sent.id}`, told }
  },
})
