import { Readable } from 'node:stream'
import { z } from 'zod'
import { badRequest, type Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { InstantInput } from '#lib/input-types.ts'
import * as ratingDays from '#sql/bots/rating-days.ts'
import * as rows from '#sql/bots/ratings.ts'
import type { Db } from '#sql/db.ts'
import { whereOf } from '#sql/filters.ts'
import { changeHours, type Rated, rateConversation } from '#tasks/bots/rules/rate-conversation.ts'
import { writeCsvLine } from '../http/csv-line.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { text } from './fields.ts'
import { findConversation, lockConversation, ofConversation } from './lock-conversation.ts'

export const notEnded = problem(
  409,
  'conversation_not_ended',
  'The conversation can be rated after a person has closed or returned it.',
)

export const ratingFinal = problem(
  409,
  'rating_final',
  `The rating can be changed for ${changeHours} hours after it was given.`,
)

export const ratingBody = z.strictObject({
  score: z.int({ abort: true }).min(1).max(5).describe('From 1 (very bad) to 5 (very good)'),
  comment: text(1_000).nullable().default(null).describe('Optional. Up to 1,000 characters.'),
})

export const Rating = z
  .object({
    id: Id,
    conversation_id: Id,
    bot_id: Id,
    assignee_id: Id.nullable().describe('Last member who had the conversation. `null` if there was none.'),
    score: z.int(),
    comment: z.string().nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'bots.Rating' })

/** Returns the rating. Throws 409 if the conversation has not ended or the rating can no longer be changed. */
export function acceptRating(rated: Rated): rows.Rating {
  if ('rating' in rated) return rated.rating
  throw refusal(rated.refused)
}

const refusal = (why: 'not_ended' | 'final'): Problem =>
  why === 'final' ? ratingFinal(ratingFinal.when) : notEnded(notEnded.when)

export const update = route({
  method: 'PUT',
  path: '/{botId}/conversations/{conversationId}/rating',
  summary: 'Rate a conversation for a user',
  description:
    'Stores the rating that your user has given, after a person closed or returned the conversation. A conversation has one rating. It can be changed for 24 hours.',
  scope: 'bots:read',
  idempotent: true,
  params: ofConversation,
  body: ratingBody,
  status: 200,
  reply: Rating,
  problems: ['not_found', notEnded, ratingFinal],
  async handle({ body, db, ...call }) {
    return acceptRating(await rateConversation(db, await lockConversation(db, call), body))
  },
})

export const read = route({
  method: 'GET',
  path: '/{botId}/conversations/{conversationId}/rating',
  summary: 'Read the rating of a conversation',
  description: 'Returns `404` if the conversation has no rating.',
  scope: 'bots:read',
  params: ofConversation,
  status: 200,
  reply: Rating,
  problems: ['not_found'],
  async handle({ org, params, db }) {
    const { id } = await findConversation(db, { org, params })
    return await mustFind(rows.find(db, org.id, id), 'rating')
  },
})

const filterQuery = {
  bot_id: Id.optional().describe('Only ratings of this bot'),
  assignee_id: z
    .union([Id, z.literal('none')])
    .optional()
    .describe('Only ratings of this member. `none`: only ratings of conversations without an assignee.'),
  score: z.coerce.number().int().min(1).max(5).optional().describe('Only ratings with this score'),
  since: InstantInput.optional().describe('Only ratings at or after this time'),
  until: InstantInput.optional().describe('Only ratings before this time'),
}

export const list = listRoute({
  path: '/conversations/ratings',
  summary: 'List ratings, newest first',
  description: 'Returns the ratings of your organisation’s conversations. They are deleted with their conversations.',
  scope: 'bots:read',
  filters: rows.filters,
  query: filterQuery,
  item: Rating,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present: (row) => row,
})

const Summary = z
  .object({
    key: z.string().nullable().describe('Bot ID, member ID or Monday of the week. `null` without an assignee.'),
    name: z.string().nullable().describe('Name of the bot or member'),
    ratings: z.int(),
    average: z.number().describe('Average score'),
    scores: z.array(z.int()).describe('Number of ratings with the scores 1 to 5, in this order'),
  })
  .meta({ id: 'bots.RatingSummary' })

const [mostGroups, summaryDays] = [100, 90]

const dayMs = 86_400_000

export const summarise = route({
  method: 'GET',
  path: '/conversations/ratings/summary',
  summary: 'Summarise ratings',
  description: `Returns the number and average of ratings by bot, assignee or week (Monday to Sunday, UTC), up to ${mostGroups} groups. Default: the last ${summaryDays} days. The period can be up to 366 days.`,
  scope: 'bots:read',
  query: z.object({
    by: z.enum(['bot', 'assignee', 'week']).default('bot').describe('Groups. Default: `bot`.'),
    bot_id: Id.optional().describe('Only ratings of this bot'),
    since: InstantInput.optional().describe(`Start. Default: ${summaryDays} days before the end.`),
    until: InstantInput.optional().describe('End. Default: now.'),
  }),
  status: 200,
  reply: z.object({ data: z.array(Summary), since: Instant, until: Instant }),
  async handle({ query: { by, bot_id, ...period }, org, db }) {
    const until = period.until === undefined ? new Date(Date.now() + 1) : new Date(period.until)
    const since = period.since === undefined ? new Date(until.getTime() - summaryDays * dayMs) : new Date(period.since)
    const length = until.getTime() - since.getTime()
    if (length <= 0) throw badRequest([{ field: 'query.until', issue: 'must be after `since`' }])
    if (length > 366 * dayMs)
      throw badRequest([{ field: 'query.since', issue: 'must be at most 366 days before `until`' }])
    const wanted = { by, since, until, limit: mostGroups, ...(bot_id !== undefined && { botId: bot_id }) }
    return { data: [...(await ratingDays.summarise(db, org.id, wanted))], since, until }
  },
})

export const download = route({
  method: 'GET',
  path: '/conversations/ratings/export',
  summary: 'Export ratings as CSV',
  description:
    'Returns all ratings with the filters, newest first. Values that a spreadsheet would run as a formula start with an apostrophe.',
  scope: 'bots:read',
  limit: { perMinute: 10, by: 'org' },
  query: z.object(filterQuery),
  status: 200,
  raw: 'text/csv',
  async handle({ ctx, org, db, query }) {
    ctx.type = 'text/csv; charset=utf-8'
    ctx.set('content-disposition', 'attachment; filename="ratings.csv"')
    ctx.body = Readable.from(ratingLines(db, org.id, query))
  },
})

const batch = 500

type Wanted = z.output<z.ZodObject<typeof filterQuery>>

/** Reads the ratings in batches, as fast as the client receives them. */
export async function* ratingLines(db: Db, orgId: string, wanted: Wanted): AsyncGenerator<string> {
  yield writeCsvLine(['id', 'conversation_id', 'bot_id', 'assignee_id', 'score', 'comment', 'created_at', 'updated_at'])
  const where = whereOf(rows.filters, wanted)
  for (let before: string | undefined; ; ) {
    const page = await rows.list(db, orgId, { where, before, limit: batch })
    const lines = page.map((one) =>
      writeCsvLine([
        ...[one.id, one.conversation_id, one.bot_id, one.assignee_id, one.score, one.comment],
        ...[one.created_at.toISOString(), one.updated_at.toISOString()],
      ]),
    )
    if (lines.length > 0) yield lines.join('')
    const last = page.at(-1)
    if (!last || page.length < batch) return
    before = last.id
  }
}
