import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import * as rows from '#sql/bots/canned-replies.ts'
import { lockOrgLimit } from '#sql/org-limits.ts'
import { findUnknownPlaceholders, placeholders } from '#tasks/bots/rules/canned-placeholders.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { Language, line, text } from './fields.ts'

const tooMany = problem(
  409,
  'too_many_canned_replies',
  `An organisation can have up to ${rows.maxCannedReplies} canned replies.`,
)

const params = z.object({ replyId: pathId('canned reply') })

export const Shortcut = z
  .string()
  .max(40)
  .regex(/^[a-z0-9][a-z0-9_-]*$/, 'must have only a-z, 0-9, - and _, and start with a letter or digit')

const Text = text(4_000).superRefine((value, context) => {
  for (const name of findUnknownPlaceholders(value).slice(0, 5))
    context.addIssue(`has the unknown placeholder ${name.slice(0, 60)}. Use one of: ${placeholders.join(', ')}.`)
})

const content = {
  shortcut: Shortcut.describe('Word that finds the reply, such as `refund`. Up to 40 characters.'),
  title: line(100).describe('Title in the inbox'),
  text: Text.describe(
    `Text, up to 4,000 characters. Placeholders: ${placeholders.map((name) => `\`{{${name}}}\``).join(', ')}. \`{{visitor.name | there}}\` inserts \`there\` if the value is missing.`,
  ),
  language: Language.nullable().describe('Language of the text, such as `de`. `null` for every language.'),
}

export const CannedReply = z
  .object({
    id: Id,
    shortcut: z.string(),
    language: z.string().nullable(),
    title: z.string(),
    text: z.string(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'bots.CannedReply' })

const taken = () => conflict('Another canned reply has this shortcut and language.')

export const create = route({
  method: 'POST',
  path: '/conversations/canned-replies',
  summary: 'Create a canned reply',
  description: `Creates a text that members insert into their replies. An organisation can have up to ${rows.maxCannedReplies} canned replies.`,
  scope: 'bots:write',
  idempotent: true,
  body: z.strictObject({ ...content, language: content.language.default(null) }),
  status: 201,
  reply: CannedReply,
  problems: ['conflict', tooMany],
  example: {
    body: {
      shortcut: 'refund',
      title: 'Refund sent',
      text: 'Hello {{visitor.name | there}}, your refund is on its way.',
    },
  },
  async handle({ body, org, db }) {
    await lockOrgLimit(db, org.id, 'bots.canned_replies')
    if ((await rows.countOf(db, org.id)) >= rows.maxCannedReplies) throw tooMany(tooMany.when)
    const made = await rows.insert(db, { ...body, id: newId(), org_id: org.id })
    if (!made) throw taken()
    return made
  },
})

export const list = listRoute({
  path: '/conversations/canned-replies',
  summary: 'List canned replies, newest first',
  description: 'Returns the canned replies of your organisation.',
  scope: 'bots:read',
  filters: rows.filters,
  query: {
    shortcut: Shortcut.optional().describe('Only replies whose shortcut starts with this'),
    language: Language.optional().describe('Only replies in this language'),
  },
  item: CannedReply,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present: (row) => row,
})

export const update = route({
  method: 'PATCH',
  path: '/conversations/canned-replies/{replyId}',
  summary: 'Update a canned reply',
  description: 'Changes the given fields. Sent messages do not change.',
  scope: 'bots:write',
  idempotent: true,
  params,
  body: z
    .strictObject({
      shortcut: content.shortcut.optional(),
      title: content.title.optional(),
      text: content.text.optional(),
      language: content.language.optional(),
    })
    .refine((given) => Object.values(given).some((value) => value !== undefined), 'must have at least one field'),
  status: 200,
  reply: CannedReply,
  problems: ['not_found', 'conflict'],
  async handle({ params: { replyId }, body, org, db }) {
    await lockOrgLimit(db, org.id, 'bots.canned_replies')
    const now = await mustFind(rows.lock(db, org.id, replyId), 'canned reply')
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
    const next = { ...now, ...given }
    if (await rows.isTaken(db, org.id, next)) throw taken()
    return await mustFind(rows.update(db, org.id, replyId, given), 'canned reply')
  },
})

export const remove = removeRoute({
  path: '/conversations/canned-replies/{replyId}',
  summary: 'Delete a canned reply',
  description: 'Deletes the canned reply. Sent messages do not change.',
  scope: 'bots:write',
  params,
  what: 'canned reply',
  remove: ({ params: { replyId }, org, db }) => rows.remove(db, org.id, replyId),
})
