import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as bots from '#sql/bots/bots.ts'
import * as rows from '#sql/bots/unanswered.ts'
import { Instant } from '../http/instant.ts'
import { orderedListRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { addDocument, Document } from './documents.ts'
import { botParams, text } from './fields.ts'

const Question = z
  .object({
    id: Id,
    bot_id: Id,
    question: z.string().describe('Most recent wording of the question'),
    times: z.int(),
    first_at: Instant,
    last_at: Instant,
  })
  .meta({ id: 'bots.Question' })

const ofQuestion = botParams.extend({ questionId: pathId('question') })

export const list = orderedListRoute({
  path: '/{botId}/questions',
  summary: 'List unanswered questions of a bot',
  description:
    'Returns questions from your organisation’s users, most frequent first. Questions that differ only in case, accents and punctuation are merged. A bot stores up to 1,000 questions.',
  scope: 'bots:write',
  params: botParams,
  problems: ['not_found'],
  item: Question,
  key: z.tuple([z.int(), Id]),
  keyOf: ({ times, id }: rows.Unanswered): [number, string] => [times, id],
  async rows({ params: { botId }, org, db }, page) {
    await mustFind(bots.find(db, org.id, botId), 'bot')
    return await rows.list(db, botId, page)
  },
  present: (row) => row,
})

export const answer = route({
  method: 'POST',
  path: '/{botId}/questions/{questionId}/answer',
  summary: 'Answer an unanswered question',
  description:
    'Creates a document from your text, with the question as its title. The bot can quote the document. The question is removed from the list.',
  scope: 'bots:write',
  idempotent: true,
  params: ofQuestion,
  body: z.strictObject({ text: text(40_000), title: text(200).optional().describe('Default: the question') }),
  status: 200,
  reply: Document,
  problems: ['not_found'],
  example: { body: { text: 'The shop is open from nine to five.' } },
  async handle({ params: { botId, questionId }, body, org, db }) {
    await mustFind(bots.lock(db, org.id, botId), 'bot')
    const { question } = await mustFind(rows.remove(db, botId, questionId), 'question')
    const title = body.title ?? question.trim().slice(0, 200).toWellFormed()
    return await addDocument(db, org.id, { bot_id: botId, title, text: body.text, url: null })
  },
})

export const remove = removeRoute({
  path: '/{botId}/questions/{questionId}',
  summary: 'Remove an unanswered question',
  description: 'The question appears again if a person asks it again.',
  scope: 'bots:write',
  params: ofQuestion,
  what: 'question',
  remove: async ({ params: { botId, questionId: id }, org, db }) => {
    await mustFind(bots.find(db, org.id, botId), 'bot')
    return await rows.remove(db, botId, id)
  },
})
