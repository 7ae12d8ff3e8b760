import { z } from 'zod'
import { badRequest, type Fault } from '#lib/errors.ts'
import { outboundFaultOf } from '#lib/http.ts'
import { Id, newId } from '#lib/ids.ts'
import * as bots from '#sql/bots/bots.ts'
import * as rows from '#sql/bots/sources.ts'
import type { Db } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as fileVersions from '#sql/files/versions.ts'
import { readSource } from '#tasks/bots/read-source.ts'
import { mostBytes } from '#tasks/bots/rules/fetch-source.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { demandRoom } from './documents.ts'
import { botParams, text } from './fields.ts'

const RefreshHours = z.int().min(1).max(720).nullable()

const Source = z
  .object({
    id: Id.describe('The id of the document that its text is, too'),
    bot_id: Id,
    title: z.string().nullable().describe('null: what the source calls itself'),
    url: z.string().nullable(),
    object_id: Id.nullable(),
    refresh_hours: z.int().nullable().describe('Read again so often; null: when somebody asks for it'),
    status: z.enum(['pending', 'ready', 'failed']),
    error: rows.SourceError.nullable().describe('Why it could not be read last; what was read before is quoted still'),
    content_type: z.string().nullable(),
    characters: z.int().nullable().describe('Of the text that is quoted from; null: none yet'),
    cut: z.boolean().describe('Its text is longer than what is kept of it'),
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
    const message = parsed && /^https?:$/.test(parsed.protocol) && outboundFaultOf(parsed)
    if (message) context.addIssue({ code: 'custom', message })
  })

/** Has a bot quote from a file or an address. */
export const create = route({
  method: 'POST',
  path: '/{botId}/sources',
  summary: 'Have a bot quote from a file or an address',
  description:
    'PDF, DOCX, HTML, Markdown or plain text of at most 20 MiB: `url`, a public address, or `object_id`, a clean object of the files area. A ' +
    'worker reads it; its text, of at most 400,000 characters, is a document with the id of the source. With `refresh_hours` an address is ' +
    'asked again (`ETag`, `Last-Modified`), and its document replaced when its text is another.',
  scope: 'bots:write',
  idempotent: true,
  enqueues: readSource,
  params: botParams,
  body: z.strictObject({
    url: SourceUrl.optional(),
    object_id: Id.optional(),
    title: text(200).nullable().optional(),
    refresh_hours: RefreshHours.optional().describe('1 to 720; of an address alone'),
  }),
  status: 200,
  reply: Source,
  problems: ['not_found'],
  example: { body: { url: 'https://www.example.com/returns', refresh_hours: 24 } },
  async handle({ params: { botId }, body, org, db }) {
    const { url = null, object_id = null, title = null, refresh_hours = null } = body
    await mustFind(bots.lock(db, org.id, botId), 'bot')
    const faults = await faultsOf(db, org.id, { url, object_id, refresh_hours })
    if (faults.length > 0) throw badRequest(faults)
    await demandRoom(db, botId)
    const source = await rows.insert(db, { id: newId(), bot_id: botId, title, url, object_id, refresh_hours })
    await enqueue(db, readSource, { sourceId: source.id, try: source.try }, { orgId: org.id, subject: source.id })
    return source
  },
})

const noRefresh: Fault = {
  field: 'body.refresh_hours',
  issue: 'is for addresses: an object is read when you ask for it',
}

async function faultsOf(
  db: Db,
  orgId: string,
  { url, object_id, refresh_hours }: Pick<rows.Source, 'url' | 'object_id' | 'refresh_hours'>,
): Promise<Fault[]> {
  if (object_id === null)
    return url === null ? [{ field: 'body.url', issue: 'is missing: give it, or `object_id`' }] : []
  const faults: Fault[] = []
  if (url !== null) faults.push({ field: 'body.object_id', issue: 'stands in place of `url`: give one of the two' })
  if (refresh_hours !== null) faults.push(noRefresh)
  const object = await objects.find(db, { orgId }, object_id)
  const served = object && (await fileVersions.served(db, object.id))
  if (!served) faults.push({ field: 'body.object_id', issue: 'is no clean object of the organisation' })
  else if (served.byte_size > mostBytes)
    faults.push({ field: 'body.object_id', issue: `has more than ${mostBytes} bytes` })
  return faults
}

/** Files and addresses of a bot, newest first. */
export const list = listRoute({
  path: '/{botId}/sources',
  summary: 'List files and addresses that a bot quotes from, newest first',
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
  summary: 'Read how a source of a bot is',
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
  summary: 'Change how often a source of a bot is read',
  description: 'Sets the hours between two fetches of the source.',
  scope: 'bots:write',
  idempotent: true,
  params: ofSource,
  body: z.strictObject({ refresh_hours: RefreshHours.describe('1 to 720; null: never by itself') }),
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
  summary: 'Read a source of a bot again',
  description: 'Now, whatever its time. One that is to be read already is not read twice.',
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
      // In the transaction: a worker may read the source before the response is sent.
      return await mustFind(rows.find(tx, botId, sourceId), 'source')
    })
  },
})

export const remove = route({
  method: 'DELETE',
  path: '/{botId}/sources/{sourceId}',
  summary: 'Have a bot quote from a source no more',
  description: 'With its document; answers that were given keep their quotes.',
  scope: 'bots:write',
  params: ofSource,
  status: 200,
  reply: z.object({ id: Id, deleted: z.literal(true) }),
  problems: ['not_found'],
  async handle({ params: { botId, sourceId: id }, org, db }) {
    await mustFind(bots.find(db, org.id, botId), 'bot')
    await mustFind(
      db.transaction((tx) => rows.remove(tx, botId, id)).then((gone) => gone || null),
      'source',
    )
    return { id, deleted: true as const }
  },
})
