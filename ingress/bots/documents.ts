import { z } from 'zod'
import { config } from '#lib/config.ts'
import { badRequest } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import * as bots from '#sql/bots/bots.ts'
import * as rows from '#sql/bots/documents.ts'
import type { Db } from '#sql/db.ts'
import { jobKey } from '#sql/knowledge/lacking.ts'
import { embed } from '#tasks/knowledge/embed.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { botParams, text } from './fields.ts'

/** Maximum number of documents of a bot. Documents of its sources count too. */
export const mostDocuments = 200

export const Document = z
  .object({
    id: Id,
    bot_id: Id,
    title: z.string(),
    url: z.string().nullable(),
    characters: z.int(),
    created_at: Instant,
  })
  .meta({ id: 'bots.Document' })

export const create = route({
  method: 'POST',
  path: '/{botId}/documents',
  summary: 'Add a document to a bot',
  description: `Adds a document in plain text. A bot can have up to ${mostDocuments} documents. Answers quote them word for word in \`citations\`.`,
  scope: 'bots:write',
  idempotent: true,
  params: botParams,
  body: z.strictObject({
    title: text(200),
    text: text(40_000),
    url: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .max(2_000)
      .nullable()
      .optional(),
  }),
  status: 200,
  reply: Document,
  problems: ['not_found'],
  example: { body: { title: 'Returns', text: 'Bikes can be returned within 30 days.' } },
  async handle({ params: { botId }, body: { title, text, url = null }, org, db }) {
    // The bot is locked, so that concurrent requests cannot exceed the limit.
    await mustFind(bots.lock(db, org.id, botId), 'bot')
    return await addDocument(db, org.id, { bot_id: botId, title, text, url })
  },
})

/** Adds a document. The caller must hold the lock of the bot. Throws 400 if the limit is reached. */
export async function addDocument(
  db: Db,
  orgId: string,
  document: Pick<rows.Document, 'bot_id' | 'title' | 'url' | 'text'>,
): Promise<rows.DocumentSummary> {
  await requireDocumentRoom(db, document.bot_id)
  const added = await rows.insert(db, { id: newId(), ...document })
  if (config.AI_ENGINE === 'upstream' || config.AI_MEANING) {
    await enqueue(db, embed, { sourceId: added.id }, { key: jobKey(added.id), orgId })
  }
  return added
}

export async function requireDocumentRoom(db: Db, botId: string): Promise<void> {
  if ((await rows.count(db, botId)) >= mostDocuments) {
    throw badRequest([
      { field: 'path.botId', issue: `cannot have more than ${mostDocuments} documents. Delete one first` },
    ])
  }
}

export const list = listRoute({
  path: '/{botId}/documents',
  summary: 'List bot documents, newest first',
  description: 'Returns the documents that the bot can quote from, without their content.',
  scope: 'bots:write',
  params: botParams,
  problems: ['not_found'],
  item: Document,
  async rows({ params: { botId }, org, db }, page) {
    await mustFind(bots.find(db, org.id, botId), 'bot')
    return await rows.list(db, botId, page)
  },
  present: (row) => row,
})

export const remove = removeRoute({
  path: '/{botId}/documents/{documentId}',
  summary: 'Delete a bot document',
  description:
    'New answers no longer quote the document. Existing answers keep their quotes. To delete the document of a source, delete the source.',
  scope: 'bots:write',
  params: botParams.extend({ documentId: pathId('document') }),
  what: 'document',
  remove: async ({ params: { botId, documentId: id }, org, db }) => {
    await mustFind(bots.find(db, org.id, botId), 'bot')
    return await rows.remove(db, botId, id)
  },
})
