import { z } from 'zod'
import { badRequest, type Fault } from '#lib/errors.ts'
import { findOutboundFault } from '#lib/http.ts'
import { Id, newId } from '#lib/ids.ts'
import * as bots from '#sql/bots/bots.ts'
import * as rows from '#sql/bots/sources.ts'
import type { Db } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as fileVersions from '#sql/files/versions.ts'
import { readSource } from '#tasks/bots/read-source.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { mostBytes } from '#tasks/sources/rules/read-object.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { requireDocumentRoom } from './documents.ts'
import { botParams, text } from './fields.ts'

const RefreshHours = z.int().min(1).max(720).nullable()

const Source = z
  .object({
    id: Id.describe('ID of the source and of its document'),
    bot_id: Id,
    title: z.string().nullable().describe('`null` to use the title in the source'),
    url: z.string().nullable(),
    object_id: Id.nullable(),
    refresh_hours: z
      .int()
      .nullable()
      .describe('Interval between reads in hours. `null` to read the source only on request.'),
    status: z.enum(['pending', 'ready', 'failed']),
    error: rows.SourceError.nullable().describe(
      'Reason why the last read failed. The bot still quotes the previous text.',
    ),
    content_type: z.string().nullable(),
    characters: z.int().nullable().describe('Length of the text in characters. `null` until the source has been read.'),
    cut: z.boolean().describe('True if only the first part of the text is stored'),
    checked_at: Instant.nullable(),
    changed_at: Instant.nullable(),
    refresh_at: Instant.nullable(),
    created_at: Instant,
  })
  .meta({ id: 'bots.Source' })

const ofSource = botParams.extend({ sourceId: pathId('source') })

const SourceUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(2_000)
  .superRefine((url, context) => {
    const parsed = URL.parse(url)
    const message = parsed && /^https?:$/.test(parsed.protocol) && findOutboundFault(parsed)
    if (message) context.addIssue({ code: 'custom', message })
  })

export const create = route({
  method: 'POST',
  path: '/{botId}/sources',
  summary: 'Add a bot source (file or URL)',
  description:
    'Adds a PDF, DOCX, HTML, Markdown or plain text file of up to 20 MiB. Send `url`, a public URL, or `object_id`, a clean object of the files area. A worker reads the file and stores its text, up to 400,000 characters, as a document with the ID of the source. With `refresh_hours`, Millrace requests the URL again (`ETag`, `Last-Modified`) and replaces the document if the text has changed.',
  scope: 'bots:write',
  idempotent: true,
  enqueues: readSource,
  params: botParams,
  body: z.strictObject({
    url: SourceUrl.optional(),
    object_id: Id.optional(),
    title: text(200).nullable().optional(),
    refresh_hours: RefreshHours.optional().describe('Refresh interval in hours, 1 to 720. Only for a URL.'),
  }),
  status: 200,
  reply: Source,
  problems: ['not_found'],
  example: { body: { url: 'https://www.example.com/returns', refresh_hours: 24 } },
  async handle({ params: { botId }, body, org, db }) {
    const { url = null, object_id = null, title = null, refresh_hours = null } = body
    await mustFind(bots.lock(db, org.id, botId), 'bot')
    const faults = await findSourceFaults(db, org.id, { url, object_id, refresh_hours })
    if (faults.length > 0) throw badRequest(faults)
    await requireDocumentRoom(db, botId)
    const source = await rows.insert(db, { id: newId(), bot_id: botId, title, url, object_id, refresh_hours })
    await enqueue(db, readSource, { sourceId: source.id, try: source.try }, { orgId: org.id, subject: source.id })
    return source
  },
})

const noRefresh: Fault = {
  field: 'body.refresh_hours',
  issue: 'cannot be used with `object_id`: objects are read only on request',
}

async function findSourceFaults(
  db: Db,
  orgId: string,
  { url, object_id, refresh_hours }: Pick<rows.Source, 'url' | 'object_id' | 'refresh_hours'>,
): Promise<Fault[]> {
  if (object_id === null)
    return url === null ? [{ field: 'body.url', issue: 'is required if there is no `object_id`' }] : []
  const faults: Fault[] = []
  if (url !== null) faults.push({ field: 'body.object_id', issue: 'cannot be used together with `url`' })
  if (refresh_hours !== null) faults.push(noRefresh)
  const object = await objects.find(db, { orgId }, object_id)
  const served = object && (await fileVersions.findServed(db, object.id))
  if (!served) faults.push({ field: 'body.object_id', issue: 'must be a clean object of your organisation' })
  else if (served.byte_size > mostBytes)
    faults.push({ field: 'body.object_id', issue: `must be at most ${mostBytes} bytes` })
  return faults
}

export const list = listRoute({
  path: '/{botId}/sources',
  summary: 'List bot sources, newest first',
  description: 'Returns the files and URLs that the bot can quote from, with the status of the last fetch.',
  scope: 'bots:write',
  params: botParams,
  problems: ['not_found'],
  item: Source,
  async rows({ params: { botId }, org, db }, page) {
    await mustFind(bots.find(db, org.id, botId), 'bot')
    return await rows.list(db, botId, page)
  },
  present: (row) => row,
})

export const read = route({
  method: 'GET',
  path: '/{botId}/sources/{sourceId}',
  summary: 'Read a bot source',
  description: 'Returns the status of the last fetch, the error if it failed, and the time of the next fetch.',
  scope: 'bots:write',
  params: ofSource,
  status: 200,
  reply: Source,
  problems: ['not_found'],
  async handle({ params: { botId, sourceId }, org, db }) {
    await mustFind(bots.find(db, org.id, botId), 'bot')
    return await mustFind(rows.find(db, botId, sourceId), 'source')
  },
})

export const update = route({
  method: 'PATCH',
  path: '/{botId}/sources/{sourceId}',
  summary: 'Update the refresh interval of a source',
  description: 'Sets the interval between fetches of the source, in hours.',
  scope: 'bots:write',
  idempotent: true,
  params: ofSource,
  body: z.strictObject({
    refresh_hours: RefreshHours.describe('Refresh interval in hours, 1 to 720. `null` for no automatic refresh.'),
  }),
  status: 200,
  reply: Source,
  problems: ['not_found'],
  async handle({ params: { botId, sourceId }, body: { refresh_hours }, org, db }) {
    await mustFind(bots.lock(db, org.id, botId), 'bot')
    const { url } = await mustFind(rows.find(db, botId, sourceId), 'source')
    if (url === null && refresh_hours !== null) throw badRequest([noRefresh])
    return await mustFind(rows.setRefresh(db, botId, sourceId, refresh_hours), 'source')
  },
})

export const refresh = route({
  method: 'POST',
  path: '/{botId}/sources/{sourceId}/refresh',
  repeatable: true,
  summary: 'Refresh a bot source',
  description: 'Starts a read immediately. If a read is already pending, no second read starts.',
  scope: 'bots:write',
  limit: { perMinute: 60, by: 'org' },
  enqueues: readSource,
  params: ofSource,
  body: z.strictObject({}),
  status: 200,
  reply: Source,
  problems: ['not_found'],
  async handle({ params: { botId, sourceId }, org, db }) {
    await mustFind(bots.find(db, org.id, botId), 'bot')
    return await db.transaction(async (tx) => {
      const again = await rows.request(tx, botId, sourceId)
      if (again) await enqueue(tx, readSource, { sourceId, try: again.try }, { orgId: org.id, subject: sourceId })
      // The source is read before the commit, because a worker can change it before the response is sent.
      return await mustFind(rows.find(tx, botId, sourceId), 'source')
    })
  },
})

export const remove = removeRoute({
  path: '/{botId}/sources/{sourceId}',
  summary: 'Remove a bot source',
  description: 'Deletes the source and its document. Existing answers keep their quotes.',
  scope: 'bots:write',
  params: ofSource,
  what: 'source',
  remove: async ({ params: { botId, sourceId: id }, org, db }) => {
    await mustFind(bots.find(db, org.id, botId), 'bot')
    return await rows.remove(db, botId, id)
  },
})
