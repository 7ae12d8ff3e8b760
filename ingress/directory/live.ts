import { z } from 'zod'
import * as rows from '#sql/directory/live-streams.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { Live, presentLive } from './present.ts'

export const list = listRoute({
  path: '/live',
  summary: 'List live streams, newest first',
  description: 'Returns public live streams. `status` selects scheduled, live or ended streams.',
  scope: 'streaming:read',
  reads: 'replica',
  etag: true,
  filters: rows.filters,
  query: { status: rows.Status.default('live') },
  item: Live,
  rows: ({ db }, page) => rows.list(db, page),
  present: (row, { origin }) => presentLive(row, origin),
})

export const read = route({
  method: 'GET',
  path: '/live/{uuid}',
  summary: 'Read a live stream',
  description: 'Returns a public live stream with its playback URL and its current status.',
  scope: 'streaming:read',
  etag: true,
  params: z.object({ uuid: pathId('live stream') }),
  status: 200,
  reply: Live,
  problems: ['not_found'],
  async handle({ params, db, origin }) {
    return presentLive(await mustFind(rows.find(db, params.uuid), 'live stream'), origin)
  },
})
