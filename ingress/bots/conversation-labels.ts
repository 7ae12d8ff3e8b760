import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/bots/conversation-labels.ts'
import * as labels from '#sql/bots/labels.ts'
import { emit } from '#tasks/webhooks/rules/emit.ts'
import { route } from '../http/route.ts'
import { Label } from './labels.ts'
import { findConversation, lockConversation, ofConversation } from './lock-conversation.ts'

/** Maximum number of labels of a conversation. */
export const maxPerConversation = 20

const Labelled = z.object({ conversation_id: Id, labels: z.array(Label) }).meta({ id: 'bots.ConversationLabels' })

export const read = route({
  method: 'GET',
  path: '/{botId}/conversations/{conversationId}/labels',
  summary: 'Read the labels of a conversation',
  description: 'Returns up to 20 labels.',
  scope: 'bots:read',
  params: ofConversation,
  status: 200,
  reply: Labelled,
  problems: ['not_found'],
  async handle({ org, params, db }) {
    const { id } = await findConversation(db, { org, params })
    return { conversation_id: id, labels: [...(await rows.listOf(db, id))] }
  },
})

export const update = route({
  method: 'PUT',
  path: '/{botId}/conversations/{conversationId}/labels',
  summary: 'Replace the labels of a conversation',
  description: 'Sets the labels of a conversation, with a person or not. An empty list removes all labels.',
  scope: 'bots:write',
  idempotent: true,
  params: ofConversation,
  body: z.strictObject({
    label_ids: z
      .array(Id)
      .max(maxPerConversation)
      .refine((ids) => new Set(ids).size === ids.length, 'must not repeat a label')
      .describe(`Up to ${maxPerConversation} labels of your organisation`),
  }),
  status: 200,
  reply: Labelled,
  problems: ['not_found'],
  async handle({ body: { label_ids }, db, ...call }) {
    const { id, org_id, bot_id } = await lockConversation(db, call)
    const found = await labels.lockMany(db, org_id, label_ids)
    const known = new Set(found.map((label) => label.id))
    const faults = label_ids.flatMap((one, index) =>
      known.has(one) ? [] : [{ field: `body.label_ids.${index}`, issue: 'must be a label of your organisation' }],
    )
    if (faults.length > 0) throw badRequest(faults)
    const before = await rows.listOf(db, id)
    await rows.replace(db, { conversationId: id, orgId: org_id }, label_ids)
    const had = new Set(before.map((label) => label.id))
    const added = found.filter((label) => !had.has(label.id)).map(({ name }) => name)
    const removed = before.filter((label) => !known.has(label.id)).map(({ name }) => name)
    const facts = { bot_id, conversation_id: id, labels: found.map(({ name }) => name), added, removed }
    if (added.length + removed.length > 0) await emit(db, org_id, 'bots.conversation.labelled', facts)
    return { conversation_id: id, labels: [...found] }
  },
})
