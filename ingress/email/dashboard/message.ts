import { z } from 'zod'
import type { Db } from '#sql/db.ts'
import { list, filters as listFilters } from '#sql/email/message-list.ts'
import * as messages from '#sql/email/messages.ts'
import { allMail } from '#sql/email/reach.ts'
import { whereOf } from '#sql/filters.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import { requireMember } from '../../http/dashboard/admit.ts'
import { sendMailFrame } from '../../http/dashboard/mail-frame.ts'
import { action, type PageCall, page, shared } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, queryString } from '../../http/html/html.ts'
import { actionButton, emptyState, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { route } from '../../http/route.ts'
import { findMessageContent } from '../messages/content.ts'
import { cancel } from '../messages.ts'
import { remove as unsuppress } from '../suppressions.ts'
import { section, stateOf } from './mail.ts'
import { toMailView } from './mail-views.ts'
import { contentSection } from './message-content.ts'
import { findSuppressions } from './message-region.ts'
import { isResendable } from './message-resend.ts'

const params = z.object({ id: pathId('message') })

const view = z.string().max(20).default('desktop')

export const read = page({
  path: '/mail/{id}',
  summary: 'Show a message, its content and its delivery route',
  section,
  permission: 'log:read',
  params,
  query: z.object({ view: z.string().max(20).optional() }),
  async view(call) {
    const { db, doer, member, may, region, params, query } = call
    const found = await mustFind(messages.find(db, member.orgId, params.id), 'message')
    const mayRead = may('contents:read')
    if (mayRead) await recordContentsRead(db, doer, { kind: 'email', id: found.id })
    const main = html`${parentLink('Email', section.path)}<h1>${found.subject}</h1>
${await region(`mail/${found.id}`)}
${may('areas:write') && (await actionsFor(call, found))}
${mayRead ? await contentSection(call, found, query.view) : html`<section><h2>Content</h2>${emptyState('Your role cannot read the content of messages.')}</section>`}
${await historyOf(db, found)}`
    return { title: found.subject, main, reaches: { frames: ["'self'"] } }
  },
})

const waiting: readonly string[] = ['scheduled', 'queued', 'deferred']

async function actionsFor({ db, member }: PageCall<{ id: string }, unknown>, found: messages.Message): Promise<Html> {
  const [copies, held] = await Promise.all([
    messages.listCopies(db, member.orgId, found.id),
    findSuppressions(db, found),
  ])
  const waits = [found, ...copies].some(({ status }) => waiting.includes(status))
  const removable = held.length > 0 && held.every(({ reason }) => reason !== 'complaint')
  return html`${waits && html`<div class="actions spaced while-waiting">${actionButton(member, `/app/mail/${found.id}/cancel`, copies.length > 0 ? 'Cancel message and copies' : 'Cancel message', { grave: true })}</div>`}
${isResendable(found) && html`<div class="actions spaced"><a class="button" href="/app/mail/${found.id}/resend">Send again</a></div>`}
${removable && html`<div class="actions spaced">${actionButton(member, `/app/mail/${found.id}/unsuppress`, 'Remove suppression', { of: found.to_email })}</div>`}`
}

const shownBefore = 6

async function historyOf(db: Db, { org_id, id, to_email }: messages.Message): Promise<Html> {
  const where = whereOf(listFilters, { to: to_email })
  const found = await list(db, org_id, { where, before: undefined, limit: shownBefore, reach: allMail, tag: undefined })
  const others = found.filter((one) => one.id !== id).slice(0, shownBefore - 1)
  return html`<section><div class="title"><h2>Other messages to this recipient</h2><a href="/app/mail${queryString({ to: to_email })}">Show all</a></div>
${
  others.length === 0
    ? emptyState('No other messages to this recipient.')
    : dataTable('Other messages to this recipient', others, {
        Subject: ['break', (one) => html`<a href="/app/mail/${one.id}">${one.subject}</a>`],
        Status: (one) => stateOf(one),
        Accepted: (one) => ago(one.created_at),
      })
}</section>`
}

/** The email of a message, for the frame of its page. */
export const shown = route({
  ...shared,
  method: 'GET',
  path: '/mail/{id}/shown',
  summary: 'Show the email of a message',
  params,
  query: z.object({ view }),
  async handle(call) {
    const allowed = await requireMember(call, { permission: 'contents:read' })
    if (!allowed) return
    const { db, member, doer } = allowed
    const found = await mustFind(messages.find(db, member.orgId, call.params.id), 'message')
    await recordContentsRead(db, doer, { kind: 'email', id: found.id })
    const content = await mustFind(findMessageContent(db, found), 'content')
    sendMailFrame(call.ctx, content, toMailView(call.query.view))
  },
})

export const takeBack = action({
  path: '/mail/{id}/cancel',
  summary: 'Cancel an unsent message',
  permission: 'areas:write',
  params,
  back: ({ id }) => `/app/mail/${id}`,
  async perform({ ask, params: { id } }) {
    await ask(cancel, { params: { id } }, z.unknown())
    return { to: `/app/mail/${id}`, told: 'Messages that had not been sent are cancelled.' }
  },
})

export const letGo = action({
  path: '/mail/{id}/unsuppress',
  summary: 'Remove the suppression of a recipient',
  permission: 'areas:write',
  params,
  back: ({ id }) => `/app/mail/${id}`,
  async perform({ db, member, ask, params: { id } }) {
    const { to_email: email } = await mustFind(messages.find(db, member.orgId, id), 'message')
    await ask(unsuppress, { params: { email } }, z.unknown())
    return { to: `/app/mail/${id}`, told: `Suppression of ${email} removed.` }
  },
})
