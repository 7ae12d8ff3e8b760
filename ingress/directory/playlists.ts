import { z } from 'zod'
import { badRequest, notFound } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/directory/playlists.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { createNameSchema, Description, ownFilter } from './fields.ts'
import { playlistUrl } from './present.ts'

/** A playlist. */
export const Playlist = z
  .object({
    id: Id,
    title: z.string(),
    description: z.string(),
    visibility: rows.Visibility.describe('`public`: listed. `unlisted`: available to anyone who has the URL.'),
    video_count: z.int().describe('Number of listed videos in the playlist'),
    created_at: Instant,
    updated_at: Instant,
    url: z.url().describe('URL of the playlist’s web page'),
  })
  .meta({ id: 'directory.Playlist' })

export const present = (
  { org_id: _, length: __, listed, ...row }: rows.Playlist,
  origin: string,
): z.input<typeof Playlist> => ({
  ...row,
  video_count: listed,
  url: playlistUrl(origin, row.id),
})

const Videos = z
  .array(Id)
  .max(rows.mostVideos)
  .refine((ids) => new Set(ids).size === ids.length, 'must contain each video only once')
  .describe('IDs of videos in order: your own assets, listed or not, and listed videos of other organisations')

const written = {
  title: createNameSchema(150),
  description: Description.optional(),
  visibility: rows.Visibility.optional(),
  videos: Videos.optional(),
}
const params = z.object({ playlistId: pathId('playlist') })

/** Throws 400 with each video that the organisation cannot add. Videos that are already in the playlist are allowed. */
async function checkVideos(db: Db, orgId: string, ids: readonly string[], has: readonly string[] = []): Promise<void> {
  const known = new Set([...has, ...(await rows.filterUsable(db, orgId, ids))])
  const strange = ids.flatMap((id, i) => (known.has(id) ? [] : [{ field: `body.videos.${i}`, issue: strangers }]))
  if (strange.length > 0) throw badRequest(strange)
}

const strangers = 'must be your own video or a listed one'

export const list = listRoute({
  path: '/playlists',
  summary: 'List playlists, newest first',
  description: 'Returns public playlists of all organisations. With `own=true`, returns all of your playlists.',
  scope: 'streaming:read',
  reads: 'replica',
  etag: true,
  beyondContract: true,
  filter: { own: ownFilter },
  item: Playlist,
  rows: ({ query, org, db }, page) => rows.list(db, query.own ? org.id : undefined, page),
  present: (row, { origin }) => present(row, origin),
})

export const create = route({
  method: 'POST',
  path: '/playlists',
  summary: 'Create a playlist',
  description: 'The playlist is `public` by default.',
  scope: 'streaming:write',
  beyondContract: true,
  idempotent: true,
  body: z.strictObject(written),
  status: 201,
  reply: Playlist,
  example: { body: { title: 'How railways began', visibility: 'public' } },
  async handle({ body, org, db, origin }) {
    const { title, description = '', visibility = 'public', videos = [] } = body
    await checkVideos(db, org.id, videos)
    return present(
      await rows.insert(db, { id: newId(), org_id: org.id, title, description, visibility, videos }),
      origin,
    )
  },
})

export const read = route({
  method: 'GET',
  path: '/playlists/{playlistId}',
  summary: 'Read a playlist',
  description: 'Returns the playlist with its number of videos. List the videos with a separate call.',
  scope: 'streaming:read',
  etag: true,
  beyondContract: true,
  params,
  status: 200,
  reply: Playlist,
  problems: ['not_found'],
  async handle({ params, db, origin }) {
    return present(await mustFind(rows.find(db, params.playlistId), 'playlist'), origin)
  },
})

export const update = route({
  method: 'PATCH',
  path: '/playlists/{playlistId}',
  summary: 'Update a playlist',
  description: '`videos` replaces all videos of the playlist. You can also use it to change the order.',
  scope: 'streaming:write',
  beyondContract: true,
  params,
  body: z.strictObject({ ...written, title: written.title.optional() }),
  status: 200,
  reply: Playlist,
  problems: ['not_found'],
  async handle({ params, body, org, db, origin }) {
    const changed = await db.transaction(async (tx) => {
      const before = await mustFind(rows.lockVideos(tx, org.id, params.playlistId), 'playlist')
      if (body.videos) await checkVideos(tx, org.id, body.videos, before)
      return await rows.update(tx, org.id, params.playlistId, body)
    })
    if (!changed) throw notFound('playlist')
    return present(changed, origin)
  },
})

export const remove = removeRoute({
  path: '/playlists/{playlistId}',
  summary: 'Delete a playlist',
  description: 'The videos of the playlist are not deleted.',
  scope: 'streaming:write',
  beyondContract: true,
  params,
  what: 'playlist',
  remove: ({ params, org, db }) => rows.remove(db, org.id, params.playlistId),
})
