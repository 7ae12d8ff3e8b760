import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { findName } from '#sql/bots/assignments.ts'
import * as bots from '#sql/bots/bots.ts'
import * as rows from '#sql/bots/canned-replies.ts'
import type { Conversation } from '#sql/bots/conversations.ts'
import type { Db } from '#sql/db.ts'
import { type PlaceholderValues, renderCannedReply } from '#tasks/bots/rules/canned-placeholders.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { CannedReply, Shortcut } from './canned-replies.ts'
import { findConversation, ofConversation } from './lock-conversation.ts'

const most = 20

export const list = route({
  method: 'GET',
  path: '/{botId}/conversations/{conversationId}/canned-replies',
  summary: 'List canned replies for a conversation',
  description:
    'Returns up to 20 canned replies by shortcut, with the values of the conversation in `rendered`. Replies in the language of the visitor come first. Nothing is sent.',
  scope: 'bots:read',
  params: ofConversation,
  query: z.object({
    shortcut: z
      .union([z.literal(''), Shortcut])
      .default('')
      .describe('Start of the shortcut'),
    id: Id.optional().describe('Only this canned reply'),
  }),
  status: 200,
  reply: z.object({
    data: z.array(
      CannedReply.extend({ rendered: z.string().describe('Text with the values of the conversation') }).meta({
        id: 'bots.RenderedReply',
      }),
    ),
  }),
  problems: ['not_found'],
  async handle({ org, params, query: { shortcut, id }, db, actor }) {
    const conversation = await findConversation(db, { org, params })
    const agent = actor.kind === 'user' && actor.id !== null ? await findName(db, actor.id) : null
    return { data: await renderReplies(db, conversation, { agent, prefix: shortcut, id }) }
  },
})

/** Returns canned replies for a conversation whose shortcut starts with a prefix. */
async function renderReplies(
  db: Db,
  conversation: Conversation,
  { agent, prefix, id }: { agent: string | null; prefix: string; id?: string | undefined },
) {
  const bot = await mustFind(bots.findKnown(db, conversation.org_id, conversation.bot_id), 'bot')
  const values = valuesOf(conversation, { agent, bot: bot.name })
  const wanted = { prefix, id, language: conversation.language, limit: most }
  const found = await rows.search(db, conversation.org_id, wanted)
  return found.map((one) => ({ ...one, rendered: renderCannedReply(one.text, values) }))
}

const valuesOf = (
  { id, user_id, visitor_name, visitor_email, contact, variables }: Conversation,
  { agent, bot }: { agent: string | null; bot: string },
): PlaceholderValues => ({
  'visitor.name': visitor_name ?? variables.name ?? null,
  'visitor.email': visitor_email ?? (contact?.includes('@') ? contact : null),
  'visitor.id': user_id,
  'agent.name': agent,
  'bot.name': bot,
  'conversation.id': id,
})

export const Rendered = z.object({ data: z.array(z.object({ id: Id, title: z.string(), rendered: z.string() })) })
