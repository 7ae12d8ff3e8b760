import { z } from 'zod'
import { forbidden } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { Int4 } from '#lib/input-types.ts'
import type { Caller } from '#sql/account/keys.ts'
import * as rows from '#sql/bots/bots.ts'
import * as conversations from '#sql/bots/conversations.ts'
import * as handoverRows from '#sql/bots/handovers.ts'
import * as hours from '#sql/bots/hours.ts'
import * as messageRows from '#sql/bots/messages.ts'
import * as ratings from '#sql/bots/ratings.ts'
import * as versions from '#sql/bots/versions.ts'
import type { Db } from '#sql/db.ts'
import { answer } from '#tasks/bots/answer.ts'
import { fill } from '#tasks/bots/rules/fill.ts'
import { getAvailability } from '#tasks/bots/rules/office-hours.ts'
import { isChangeable } from '#tasks/bots/rules/rate-conversation.ts'
import { mustFind } from '../http/must-find.ts'
import { noAnswerInTime } from '../http/problem-kinds.ts'
import { followedRoute, route } from '../http/route.ts'
import { acceptMessage } from './accept.ts'
import { Answer, followAnswer } from './chat.ts'
import { botParams, Language, text } from './fields.ts'
import { startHandover } from './handovers.ts'
import { availabilityFields } from './hours.ts'
import { lockConversation, ofConversation } from './lock-conversation.ts'
import { Message, presentMessage } from './message.ts'
import { noAnswerProblems } from './no-answer.ts'

export const shared = { scope: 'bots:chat', site: true, params: botParams } as const

/**
 * Maximum number of requests per minute and IP address. This is enough for a quick conversation, but not enough to use
 * up a plan's tokens.
 */
export const limit = { perMinute: 20, by: 'ip' } as const
/** Maximum number of reads per minute and IP address. Web pages poll every few seconds for replies from a person. */
export const readLimit = { perMinute: 120, by: 'ip' } as const

const most = 100

/** Throws 403 if the key is public and the request has no origin. Public keys are locked to origins. */
export function requirePageOrigin({ key }: Pick<Caller, 'key'>, origin: string | undefined): void {
  if (key.prefix === 'bt_site_' && origin === undefined)
    throw forbidden('Public keys can use bots only from a web page.')
}

export const read = route({
  ...shared,
  method: 'GET',
  path: '/{botId}/visit',
  locks: [],
  summary: 'Read a bot from a web page',
  description:
    'Returns one of your bots, published or not. Requires a public key with `bots:chat` and a web page on one of the key’s origins.',
  status: 200,
  reply: z
    .object({
      bot_id: Id,
      name: z.string(),
      tagline: z.string().nullable(),
      greeting: z.string().nullable(),
      starter_questions: z.array(z.string()),
      ...availabilityFields,
    })
    .meta({ id: 'bots.VisitedBot' }),
  problems: ['not_found'],
  limit: readLimit,
  async handle({ params: { botId }, org, db }) {
    const { id, name, tagline, version } = await mustFind(rows.find(db, org.id, botId), 'bot')
    const { greeting, starter_questions, ...rest } = await versions.find(db, id, version)
    const filled = greeting === null ? null : fill(greeting, rest, {})
    const availability = getAvailability(await hours.find(db, id), Date.now())
    return { bot_id: id, name, tagline, greeting: filled, starter_questions, ...availability }
  },
})

export const chat = followedRoute({
  ...shared,
  method: 'POST',
  path: '/{botId}/visit/chat',
  locks: [],
  summary: 'Send a message to a bot from a web page',
  description:
    'Same as `POST …/chat`, but with a public key. Anyone who has a `conversation_id` can continue the conversation, so only the visitor should keep it.',
  idempotent: true,
  enqueues: answer,
  streams: true,
  limit,
  body: z.strictObject({
    message: text(2_000),
    conversation_id: Id.optional(),
    stream: z.boolean().default(false),
    language: Language.optional().describe('Language of the visitor. It is stored with the first message.'),
  }),
  status: 200,
  reply: Answer,
  problems: ['not_found', 'conflict', 'server_error', noAnswerInTime, ...noAnswerProblems],
  example: { body: { message: 'How long do I have to return a bike?', stream: true } },
  async handle({ params: { botId }, body, org, key, db, header }) {
    requirePageOrigin({ key }, header('origin'))
    await mustFind(rows.find(db, org.id, botId), 'bot')
    return await acceptMessage(db, org.id, botId, { ...body, user_id: null }, key.id)
  },
  follow: ({ answer_id }, call) => followAnswer(answer_id, call),
})

export const messages = route({
  ...shared,
  method: 'GET',
  path: '/{botId}/visit/{conversationId}/messages',
  locks: [],
  summary: 'Read a conversation from a web page',
  description: 'Returns up to 100 messages after `after`, oldest first.',
  params: ofConversation,
  query: z.object({
    after: z.coerce
      .number()
      .pipe(Int4.min(0))
      .default(0)
      .describe('`seq` of the last message that the web page has received'),
  }),
  status: 200,
  reply: z.object({
    data: z.array(Message),
    handed_over: z.boolean(),
    closed: z.boolean(),
    rateable: z.boolean().describe('True if the visitor can rate the conversation or change the rating'),
    asks_email: z.boolean().describe('True if the visitor waits outside office hours and can leave an email address'),
    ...availabilityFields,
  }),
  problems: ['not_found'],
  limit: readLimit,
  async handle({ params: { botId, conversationId }, query: { after }, org, db }) {
    const visited = { orgId: org.id, botId, id: conversationId, userId: null }
    const conversation = await mustFind(conversations.find(db, visited), 'conversation')
    const found = await messageRows.list(db, {
      ...{ orgId: org.id, botId, userId: undefined, conversationId, limit: most },
      order: 'asc',
      after: [conversationId, after],
    })
    const { closed_at, visitor_email } = conversation
    const [handover, opening, rateable] = await Promise.all([
      handoverRows.find(db, org.id, conversationId),
      hours.find(db, botId),
      isRateable(db, conversation),
    ])
    const availability = getAvailability(opening, Date.now())
    return {
      ...{ data: found.map(presentMessage), handed_over: handover !== null, closed: closed_at !== null, rateable },
      asks_email:
        handover !== null && opening?.asks_email === true && !availability.available && visitor_email === null,
      ...availability,
    }
  },
})

export const handover = route({
  ...shared,
  method: 'POST',
  path: '/{botId}/visit/{conversationId}/handover',
  locks: [],
  repeatable: true,
  summary: 'Request a person from a web page',
  description: 'Marks the conversation for a person on your team. The bot stops answering in the conversation.',
  params: ofConversation,
  body: z.strictObject({
    language: Language.optional().describe('Language of the visitor, for the message outside office hours'),
  }),
  status: 200,
  reply: z.object({ conversation_id: Id, handed_over: z.literal(true), ...availabilityFields }),
  problems: ['not_found', 'conflict'],
  limit,
  async handle({ db, header, body: { language }, ...call }) {
    requirePageOrigin(call, header('origin'))
    const visit = { ...call, userId: null }
    const { conversation_id, bot_id } = await db.transaction(async (tx) => {
      if (language !== undefined) await conversations.setLanguage(tx, (await lockConversation(tx, visit)).id, language)
      return await startHandover(tx, visit, null)
    })
    const availability = getAvailability(await hours.find(db, bot_id), Date.now())
    return { conversation_id, handed_over: true as const, ...availability }
  },
})

/** True if a conversation has ended and has no final rating. */
async function isRateable(db: Db, { id, org_id, rateable_at }: conversations.Conversation): Promise<boolean> {
  const rating = rateable_at && (await ratings.find(db, org_id, id))
  return rateable_at !== null && (!rating || isChangeable(rating))
}
