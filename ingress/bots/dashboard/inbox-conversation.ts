import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as assignments from '#sql/bots/assignments.ts'
import * as conversationLabels from '#sql/bots/conversation-labels.ts'
import * as conversations from '#sql/bots/conversations.ts'
import * as rows from '#sql/bots/handovers.ts'
import * as labels from '#sql/bots/labels.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { formPage, type PageCall } from '../../http/dashboard/page.ts'
import { linesField, optionalField, textField } from '../../http/html/form.ts'
import { ago, formatInstant } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { actionButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { reply } from '../handovers.ts'
import { list as listReplies, Rendered } from '../rendered-replies.ts'
import { inboxPath, why } from './inbox.ts'
import { assigneeForm, labelForm } from './inbox-forms.ts'
import { labelMarks } from './label-marks.ts'
import { section } from './section.ts'
import { personOf } from './thread.ts'
import { readThread } from './try.ts'

export const ofConversation = z.object({ conversation_id: pathId('conversation') })

/** Maximum number of members, labels and entries of the history on the page. */
const most = 100

export const { show: read, submit: answer } = formPage({
  path: '/bots/inbox/{conversation_id}',
  summary: 'Reply instead of a bot',
  section,
  permission: 'areas:write',
  params: ofConversation,
  query: z.object({ insert: optionalField(Id) }),
  fields: z.object({ message: z.string(), author: z.string(), after_seq: z.coerce.number().optional() }),
  async view(call) {
    const { db, member, region, params, filled, fault } = call
    const { conversation_id } = params
    const handover = await mustFind(rows.find(db, member.orgId, conversation_id), 'conversation')
    const named = { orgId: member.orgId, botId: handover.bot_id, userId: undefined }
    const conversation = await mustFind(conversations.find(db, { ...named, id: conversation_id }), 'conversation')
    const [people, all, own, history, thread, inserted] = await Promise.all([
      assignments.listAssignable(db, member.orgId, most),
      labels.list(db, member.orgId, { before: undefined, limit: most }),
      conversationLabels.listOf(db, conversation_id),
      assignments.list(
        db,
        { orgId: member.orgId, conversationId: conversation_id },
        { before: undefined, limit: most },
      ),
      region(`bot-inbox/${conversation_id}`),
      insertedText(call, handover.bot_id),
    ])
    const path = `${inboxPath}/${conversation_id}`
    const { visitor_name, user_id, contact, contact_verified } = conversation
    const name = visitor_name ?? ((user_id ?? contact) !== null && personOf(user_id, contact))
    const main = html`${parentLink('Inbox', inboxPath)}<h1>Conversation${name && ` with ${name}`}</h1>${!contact_verified && html`<p class="note" role="note">The sender of these emails is not authenticated. Check who wrote before you reply.</p>`}
<p class="lead">The bot does not answer until you return the conversation.</p>
${facts(handover, conversation, own)}
<section><h2>Messages</h2>${thread}</section>
<section><h2>Reply</h2>${renderFault(fault)}
<form class="form" id="reply" method="post" action="${path}" data-replies="${path}/replies">${tokenField(member)}
${linesField(filled, { name: 'message', label: 'Message', required: true, few: true, prose: true, otherwise: inserted, hint: html`Type <code>/</code> and a shortcut to insert a canned reply, or <a href="${path}/replies">choose a canned reply</a>.` })}
${textField(filled, { name: 'author', label: 'Name', otherwise: member.name || 'Support', required: true })}
<button class="primary">Send reply</button></form></section>
<section><h2>Assignee</h2>${assigneeForm(member, path, handover, people)}${historyList(history)}</section>
<section><h2>Labels</h2>${labelForm(member, path, all, own)}</section>
<section><h2>End the handover</h2><p>${actionButton(member, `${path}/return`, 'Return to the bot')} ${actionButton(member, `${path}/close`, 'Close conversation', { grave: true })}</p></section>`
    return { title: 'Conversation', main }
  },
  async submit({ db, member, ask, params: { conversation_id: conversationId }, given }) {
    const { bot_id: botId } = await mustFind(rows.find(db, member.orgId, conversationId), 'conversation')
    await ask(reply, { params: { botId, conversationId }, body: given }, z.object({}))
    return { to: `${inboxPath}/${conversationId}`, told: 'Reply sent.' }
  },
})

type Call = Pick<PageCall<{ conversation_id: string }, { insert?: string | undefined }>, 'ask' | 'params' | 'query'>

/** Returns the text of the canned reply that the member chose. Nothing is sent. */
async function insertedText({ ask, params, query }: Call, botId: string): Promise<string> {
  if (query.insert === undefined) return ''
  const given = { params: { botId, conversationId: params.conversation_id }, query: { id: query.insert } }
  const { data } = await ask(listReplies, given, Rendered)
  return data[0]?.rendered ?? ''
}

const facts = (
  { after_hours, created_at, reason, note }: rows.Handover,
  { language, visitor_email, contact }: conversations.Conversation,
  own: readonly labels.Label[],
): Html => html`<dl class="facts">
<div><dt>Handed over</dt><dd>${ago(created_at)}${after_hours && ', outside office hours'}</dd></div>
<div><dt>Reason</dt><dd>${why[reason]}</dd></div>
${note !== null && html`<div><dt>Note</dt><dd>${note}</dd></div>`}
${visitor_email !== null && html`<div><dt>Reply to</dt><dd><a href="mailto:${visitor_email}">${visitor_email}</a></dd></div>`}
${contact !== null && html`<div><dt>Contact</dt><dd>${contact}</dd></div>`}
${language !== null && html`<div><dt>Language</dt><dd>${language}</dd></div>`}
${own.length > 0 && html`<div><dt>Labels</dt><dd>${labelMarks(own)}</dd></div>`}</dl>`

const reasons = {
  assigned: '',
  replied: ' (first reply)',
  removed: ' (no longer a member)',
  role_changed: ' (no longer has access)',
} as const

const historyList = (history: readonly assignments.Listed[]): Html | undefined =>
  history.length === 0
    ? undefined
    : html`<details><summary>History</summary><ol class="history">${history.map(
        ({ assignee_id, assignee_name, by_kind, by_name, reason, created_at }) =>
          html`<li>${formatInstant(created_at)} UTC: ${assignee_id === null ? 'nobody' : (assignee_name ?? 'a deleted user')}, by ${by_kind === 'member' ? (by_name ?? 'a deleted user') : by_kind === 'key' ? 'an API key' : 'Millrace'}${reasons[reason]}</li>`,
      )}</ol></details>`

/** Messages of a conversation with a person. Contains the last number that the reply form sends. */
export const inboxRegion: OrgRegion = {
  everyMs: 1_000,
  permission: 'areas:write',
  async read(db, orgId, [id = '']) {
    if (!Id.safeParse(id).success) return null
    const handover = await rows.find(db, orgId, id)
    if (!handover) return null
    const named = { orgId, botId: handover.bot_id, id, userId: undefined }
    // The number is read before the messages, so that a reply that the page does not show is never skipped.
    const conversation = await conversations.find(db, named)
    if (!conversation) return null
    const person = conversation.visitor_name ?? personOf(conversation.user_id, conversation.contact)
    const thread = await readThread(db, orgId, handover.bot_id, id, person)
    return html`<input type="hidden" form="reply" name="after_seq" value="${conversation.last_seq}">${thread}`
  },
}
