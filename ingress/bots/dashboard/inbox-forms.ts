import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Assignable } from '#sql/bots/assignments.ts'
import * as rows from '#sql/bots/handovers.ts'
import type { Label } from '#sql/bots/labels.ts'
import type { Db } from '#sql/db.ts'
import { action } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { repeatedField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { actionButton, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { update as assign } from '../assignments.ts'
import { update as setLabels } from '../conversation-labels.ts'
import { close, giveBack } from '../handovers.ts'
import { inboxPath } from './inbox.ts'

const ofConversation = z.object({ conversation_id: pathId('conversation') })

const back = ({ conversation_id }: z.output<typeof ofConversation>) => `${inboxPath}/${conversation_id}`

async function named(db: Db, orgId: string, conversationId: string) {
  const { bot_id: botId } = await mustFind(rows.find(db, orgId, conversationId), 'conversation')
  return { botId, conversationId }
}

/** Renders the assignee with a button to take the conversation and a list of members. */
export function assigneeForm(
  member: Member,
  path: string,
  { assignee_id }: rows.Handover,
  people: readonly Assignable[],
): Html {
  const current = people.find(({ user_id }) => user_id === assignee_id)
  const name = assignee_id === null ? 'Nobody' : assignee_id === member.userId ? 'You' : (current?.name ?? 'A member')
  const expected = { expected: assignee_id ?? '' }
  const take =
    assignee_id !== member.userId &&
    actionButton(member, `${path}/assign`, 'Assign to me', { fields: { member_id: member.userId, ...expected } })
  const option = ({ user_id, name }: Pick<Assignable, 'user_id' | 'name'>) =>
    html`<option value="${user_id}"${user_id === (assignee_id ?? '') && html` selected`}>${name}</option>`
  return html`<p><strong>${name}</strong> ${take}</p>
<form class="form spaced" method="post" action="${path}/assign">${tokenField(member)}<input type="hidden" name="expected" value="${assignee_id ?? ''}">
<div class="field"><label for="member_id">Member</label><select id="member_id" name="member_id">${option({ user_id: '', name: 'nobody' })}${people.map(option)}</select></div>
<button>Assign</button></form>`
}

export const assignTo = action({
  path: '/bots/inbox/{conversation_id}/assign',
  summary: 'Assign a conversation to a member',
  permission: 'areas:write',
  params: ofConversation,
  fields: z.object({ member_id: z.union([Id, z.literal('')]), expected: z.union([Id, z.literal('')]) }),
  back,
  async perform({ db, member, ask, params: { conversation_id }, given: { member_id, expected } }) {
    const body = { member_id: member_id || null, expected_assignee_id: expected || null }
    await ask(assign, { params: await named(db, member.orgId, conversation_id), body }, z.object({}))
    return { to: back({ conversation_id }), told: body.member_id ? 'Conversation assigned.' : 'Assignee removed.' }
  },
})

/** Renders the labels of the organisation as check boxes. */
export const labelForm = (member: Member, path: string, all: readonly Label[], own: readonly Label[]): Html => {
  const set = new Set(own.map(({ id }) => id))
  const manage = html`<a class="button" href="${inboxPath}/labels">Manage labels</a>`
  if (all.length === 0)
    return html`<p>No labels yet. Labels group conversations, for example by topic.</p><p>${manage}</p>`
  return html`<form class="form" method="post" action="${path}/labels">${tokenField(member)}
<fieldset class="field"><legend class="unseen">Labels of the conversation</legend><div class="boxes">${all.map(
    ({ id, name, color }) =>
      html`<label><input type="checkbox" name="label_ids" value="${id}"${set.has(id) && html` checked`}> <span class="label-mark is-${color}">${name}</span></label>`,
  )}</div></fieldset>
<p class="actions"><button>Save labels</button> ${manage}</p></form>`
}

export const saveLabels = action({
  path: '/bots/inbox/{conversation_id}/labels',
  summary: 'Set the labels of a conversation',
  permission: 'areas:write',
  params: ofConversation,
  fields: z.object({ label_ids: repeatedField(Id) }),
  back,
  async perform({ db, member, ask, params: { conversation_id }, given: { label_ids } }) {
    const params = await named(db, member.orgId, conversation_id)
    await ask(setLabels, { params, body: { label_ids } }, z.object({}))
    return { to: back({ conversation_id }), told: 'Labels saved.' }
  },
})

export const backToBot = action({
  path: '/bots/inbox/{conversation_id}/return',
  summary: 'Return a conversation to its bot',
  permission: 'areas:write',
  params: ofConversation,
  back,
  async perform({ db, member, ask, params: { conversation_id } }) {
    await ask(giveBack, { params: await named(db, member.orgId, conversation_id), body: {} }, z.object({}))
    return { to: inboxPath, told: 'Conversation returned to the bot.' }
  },
})

export const end = action({
  path: '/bots/inbox/{conversation_id}/close',
  summary: 'Close a conversation',
  permission: 'areas:write',
  params: ofConversation,
  back,
  async perform({ db, member, ask, params: { conversation_id } }) {
    await ask(close, { params: await named(db, member.orgId, conversation_id), body: {} }, z.object({}))
    return { to: inboxPath, told: 'Conversation closed.' }
  },
})
