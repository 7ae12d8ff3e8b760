import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { conflict } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as conversations from '#sql/bots/conversations.ts'
import * as handovers from '#sql/bots/handovers.ts'
import { emit } from '#tasks/webhooks/rules/emit.ts'
import { route } from '../http/route.ts'
import { line } from './fields.ts'
import { lockConversation, ofConversation } from './lock-conversation.ts'
import { limit, requirePageOrigin, shared } from './visitors.ts'

export const update = route({
  ...shared,
  method: 'PUT',
  path: '/{botId}/visit/{conversationId}/contact',
  locks: [],
  repeatable: true,
  summary: 'Leave contact data from a web page',
  description:
    'Stores the visitor’s email address and name while the conversation waits for a person. Your team sees them in the inbox. Millrace sends nothing to the address. Both are deleted with the conversation.',
  params: ofConversation,
  body: z
    .strictObject({
      email: Address.optional().describe('Email address for the reply'),
      name: line(100).optional().describe('Name of the visitor'),
    })
    .refine(({ email, name }) => email !== undefined || name !== undefined, 'must have `email` or `name`'),
  status: 200,
  reply: z.object({ conversation_id: Id, stored: z.literal(true) }),
  problems: ['not_found', 'conflict'],
  limit,
  async handle({ db, header, body: { email, name }, ...call }) {
    requirePageOrigin(call, header('origin'))
    return await db.transaction(async (tx) => {
      const { id, org_id, bot_id, closed_at } = await lockConversation(tx, { ...call, userId: null })
      if (closed_at) throw conflict('The conversation is closed.')
      if (!(await handovers.find(tx, org_id, id))) throw conflict('The conversation is not waiting for a person.')
      await conversations.setContact(tx, id, { visitor_email: email, visitor_name: name })
      await emit(tx, org_id, 'bots.conversation.contact_left', { bot_id, conversation_id: id })
      return { conversation_id: id, stored: true as const }
    })
  },
})
