import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { rateConversation } from '#tasks/bots/rules/rate-conversation.ts'
import { Instant } from '../http/instant.ts'
import { route } from '../http/route.ts'
import { lockConversation, ofConversation } from './lock-conversation.ts'
import { acceptRating, notEnded, ratingBody, ratingFinal } from './ratings.ts'
import { limit, requirePageOrigin, shared } from './visitors.ts'

export const update = route({
  ...shared,
  method: 'PUT',
  path: '/{botId}/visit/{conversationId}/rating',
  locks: [],
  repeatable: true,
  summary: 'Rate a conversation from a web page',
  description:
    'Stores the visitor’s rating after a person closed or returned the conversation. A conversation has one rating. The visitor can change it for 24 hours. Visitors can rate only conversations whose ID they have, and no conversations of users.',
  params: ofConversation,
  body: ratingBody,
  status: 200,
  reply: z
    .object({ conversation_id: Id, score: z.int(), comment: z.string().nullable(), created_at: Instant })
    .meta({ id: 'bots.VisitorRating' }),
  problems: ['not_found', notEnded, ratingFinal],
  limit,
  async handle({ db, header, body, ...call }) {
    requirePageOrigin(call, header('origin'))
    return await db.transaction(async (tx) => {
      const conversation = await lockConversation(tx, { ...call, userId: null })
      const { conversation_id, score, comment, created_at } = acceptRating(
        await rateConversation(tx, conversation, body),
      )
      return { conversation_id, score, comment, created_at }
    })
  },
})
