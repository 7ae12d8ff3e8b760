import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as channels from '#sql/directory/channels.ts'
import * as rows from '#sql/directory/videos.ts'
import { orderedListRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { parseHandle } from './fields.ts'
import { videoListSettings } from './video-list.ts'
import { presentDescription, VideoDescription } from './videos.ts'

const one = { path: '/channels/{handle}/videos/{uuid}', scope: 'streaming:write' } as const
const params = z.object({ handle: z.string(), uuid: pathId('video') })

export const list = orderedListRoute({
  ...videoListSettings,
  path: '/channels/{handle}/videos',
  summary: 'List the videos of a channel, newest first',
  description: 'Returns the public videos and shorts of the channel. `kind` selects one of the two.',
  filters: rows.filtersOfChannel,
  query: { kind: rows.Kind.optional(), language: videoListSettings.query.language },
  problems: ['not_found'],
  async rows({ params, db }, page) {
    const channelId = await mustFind(channels.findIdByHandle(db, parseHandle(params.handle)), 'channel')
    return await rows.list(db, { channelId }, page)
  },
})

export const assign = route({
  ...one,
  method: 'PUT',
  summary: 'Add a video to a channel',
  description:
    'Takes the ID of an asset. The asset does not need to be public. The video is removed from its previous channel.',
  params,
  status: 200,
  reply: VideoDescription,
  problems: ['not_found'],
  async handle({ params, org, db, origin }) {
    const assigned = await db.transaction(async (tx) => {
      const channelId = await mustFind(channels.lockOwn(tx, org.id, parseHandle(params.handle)), 'channel')
      return await mustFind(rows.assign(tx, org.id, params.uuid, channelId), 'video')
    })
    return presentDescription(assigned, origin)
  },
})

export const remove = removeRoute({
  ...one,
  summary: 'Remove a video from a channel',
  description: 'The video stays listed, without a channel.',
  params,
  reply: { uuid: Id },
  done: 'removed',
  what: 'video',
  async remove({ params, org, db }) {
    const channelId = await mustFind(channels.lockOwn(db, org.id, parseHandle(params.handle)), 'channel')
    return await rows.unassign(db, params.uuid, channelId)
  },
})
