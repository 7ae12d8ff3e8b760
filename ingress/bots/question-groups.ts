import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as bots from '#sql/bots/bots.ts'
import * as rows from '#sql/bots/question-groups.ts'
import { Instant } from '../http/instant.ts'
import { orderedListRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { addDocument, Document } from './documents.ts'
import { botParams, text } from './fields.ts'

const Group = z
  .object({
    id: Id,
    bot_id: Id,
    question: z.string().describe('Most frequent question of the group'),
    questions: z
      .array(z.object({ id: Id, question: z.string(), times: z.int() }))
      .describe('Up to 10 questions, most frequent first'),
    count: z.int().describe('Number of questions in the group'),
    times: z.int().describe('How often they were asked in total'),
    first_at: Instant,
    last_at: Instant,
  })
  .meta({ id: 'bots.QuestionGroup' })

const ofGroup = botParams.extend({ groupId: pathId('question group') })

export const list = orderedListRoute({
  path: '/{botId}/question-groups',
  summary: 'List unanswered questions by meaning',
  description:
    'Returns groups of unanswered questions with a similar meaning, most frequent first. English questions are compared by their meaning, and others by their words unless the operator has connected an embedding model. New questions are compared within seconds.',
  scope: 'bots:write',
  params: botParams,
  problems: ['not_found'],
  item: Group,
  key: z.tuple([z.int(), Id]),
  keyOf: ({ times, id }: rows.Group): [number, string] => [times, id],
  async rows({ params: { botId }, org, db }, page) {
    await mustFind(bots.find(db, org.id, botId), 'bot')
    return await rows.list(db, botId, page)
  },
  present: (row) => row,
})

export const answer = route({
  method: 'POST',
  path: '/{botId}/question-groups/{groupId}/answer',
  summary: 'Answer a group of questions',
  description:
    'Creates a document from your text, with the most frequent question as its title. All questions of the group are removed from the list.',
  scope: 'bots:write',
  idempotent: true,
  params: ofGroup,
  body: z.strictObject({
    text: text(40_000),
    title: text(200).optional().describe('Default: the most frequent question of the group'),
  }),
  status: 200,
  reply: Document,
  problems: ['not_found'],
  example: { body: { text: 'Refunds arrive within five days.' } },
  async handle({ params: { botId, groupId }, body, org, db }) {
    await mustFind(bots.lock(db, org.id, botId), 'bot')
    const question = await mustFind(rows.remove(db, botId, groupId), 'question group')
    const title = body.title ?? question.trim().slice(0, 200).toWellFormed()
    return await addDocument(db, org.id, { bot_id: botId, title, text: body.text, url: null })
  },
})

export const remove = removeRoute({
  path: '/{botId}/question-groups/{groupId}',
  summary: 'Remove a group of questions',
  description: 'Removes all questions of the group from the list, without an answer.',
  scope: 'bots:write',
  params: ofGroup,
  what: 'question group',
  async remove({ params: { botId, groupId }, org, db }) {
    await mustFind(bots.find(db, org.id, botId), 'bot')
    return await rows.remove(db, botId, groupId)
  },
})
