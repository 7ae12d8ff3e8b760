import { z } from 'zod'
import { conflict, notFound } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import * as rows from '#sql/directory/channels.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { createNameSchema, Description, Handle, Language, ownFilter, parseHandle } from './fields.ts'
import { channelUrl } from './present.ts'

const written = {
  name: createNameSchema(100),
  description: Description.optional(),
  language: Language.nullable().optional(),
  links: z
    .array(z.url({ protocol: /^https?$/ }).max(2_000))
    .max(10)
    .optional(),
}

export const Channel = z
  .object({
    handle: z.string().describe('Name of the channel in URLs'),
    name: z.string(),
    description: z.string(),
    language: z.string().nullable(),
    links: z.array(z.string()),
    counts: z.object({ videos: z.int(), shorts: z.int() }),
    is_live: z.boolean(),
    last_published_at: Instant.nullable(),
    created_at: Instant,
    url: z.url().describe('URL of the channel’s web page'),
  })
  .meta({ id: 'directory.Channel' })

export const present = (row: rows.Channel, origin: string): z.input<typeof Channel> => ({
  ...row,
  counts: { videos: row.videos, shorts: row.shorts },
  url: channelUrl(origin, row.handle),
})

export const list = listRoute({
  path: '/channels',
  summary: 'List channels, newest first',
  description: 'Returns public channels. Set `own` to list only the channels of your organisation.',
  scope: 'streaming:read',
  reads: 'replica',
  etag: true,
  filters: rows.filters,
  otherParams: ['own'],
  query: { own: ownFilter, language: Language.optional() },
  item: Channel,
  rows: ({ query: { own }, org, db }, page) => rows.list(db, own ? org.id : undefined, page),
  present: (row, { origin }) => present(row, origin),
})

export const create = route({
  method: 'POST',
  path: '/channels',
  summary: 'Create a channel',
  description: 'The channel is public immediately. The handle is unique on the installation and cannot be changed.',
  scope: 'streaming:write',
  idempotent: true,
  body: z.strictObject({ ...written, handle: Handle.describe('Name of the channel in URLs') }),
  status: 201,
  reply: Channel,
  problems: ['conflict'],
  example: { body: { handle: 'railways', name: 'Railway history', language: 'en' } },
  async handle({ body, org, db, origin }) {
    const { handle, name, description = '', language = null, links = [] } = body
    const made = await rows.insert(db, { id: newId(), org_id: org.id, handle, name, description, language, links })
    if (!made) throw conflict(`The handle ${handle} already exists. Choose another one.`)
    return present(made, origin)
  },
})

export const read = route({
  method: 'GET',
  path: '/channels/{handle}',
  summary: 'Read a channel',
  description: 'Returns a public channel by its handle, with its number of videos and whether it is live.',
  scope: 'streaming:read',
  etag: true,
  status: 200,
  reply: Channel,
  problems: ['not_found'],
  async handle({ params, db, origin }) {
    return present(await mustFind(rows.findByHandle(db, parseHandle(params.handle)), 'channel'), origin)
  },
})

export const update = route({
  method: 'PATCH',
  path: '/channels/{handle}',
  summary: 'Update a channel',
  description: 'Omitted fields keep their values.',
  scope: 'streaming:write',
  body: z.strictObject({ ...written, name: written.name.optional() }),
  status: 200,
  reply: Channel,
  problems: ['not_found'],
  async handle({ params, body, org, db, origin }) {
    return present(await mustFind(rows.update(db, org.id, parseHandle(params.handle), body), 'channel'), origin)
  },
})

export const remove = route({
  method: 'DELETE',
  path: '/channels/{handle}',
  summary: 'Delete a channel',
  description: 'The videos of the channel stay listed, without a channel.',
  scope: 'streaming:write',
  status: 200,
  reply: z.object({ handle: z.string(), deleted: z.literal(true) }),
  problems: ['not_found'],
  async handle({ params, org, db }) {
    const handle = parseHandle(params.handle)
    if (!(await rows.remove(db, org.id, handle))) throw notFound('channel')
    return { handle, deleted: true as const }
  },
})
