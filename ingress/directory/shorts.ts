import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import * as rows from '#sql/directory/videos.ts'
import { orderedListRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { presentVideo, Video } from './present.ts'
import { videoListSettings } from './video-list.ts'

export const list = orderedListRoute({
  ...videoListSettings,
  path: '/shorts',
  summary: 'List shorts, newest first',
  description: 'Returns public short vertical videos. Set `own` to list only your organisation’s shorts.',
  rows: ({ query: { own }, org, db }, page) => rows.list(db, { kind: 'short', orgId: own ? org.id : undefined }, page),
})

export const read = route({
  method: 'GET',
  path: '/shorts/{uuid}',
  summary: 'Read a short',
  description: 'Returns a public short with its playback URL, captions and thumbnails.',
  scope: 'streaming:read',
  etag: true,
  params: z.object({ uuid: pathId('short') }),
  status: 200,
  reply: Video,
  problems: ['not_found'],
  async handle({ params, db, origin }) {
    const found = await mustFind(rows.find(db, params.uuid), 'short')
    if (found.kind !== 'short') throw notFound('short')
    return presentVideo(found, origin)
  },
})
