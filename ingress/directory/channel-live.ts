import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as channels from '#sql/directory/channels.ts'
import * as liveChannels from '#sql/live/channels.ts'
import { mustFind } from '../http/must-find.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { parseHandle } from './fields.ts'

const one = { path: '/channels/{handle}/live/{channelId}', scope: 'streaming:write' } as const
const params = z.object({ handle: z.string(), channelId: pathId('live channel') })

export const assign = route({
  ...one,
  method: 'PUT',
  summary: 'Add a live channel to a channel',
  description:
    'Takes the ID of a live channel in the video area. Broadcasts of the live channel are listed while its `visibility` is `public`.',
  params,
  status: 200,
  reply: z
    .object({ channelId: Id, handle: z.string(), name: z.string(), visibility: liveChannels.Visibility })
    .meta({ id: 'directory.LiveChannel' }),
  problems: ['not_found'],
  async handle({ params, org, db }) {
    const handle = parseHandle(params.handle)
    const { name, visibility } = await db.transaction(async (tx) => {
      const id = await mustFind(channels.lockOwn(tx, org.id, handle), 'channel')
      return await mustFind(liveChannels.setDirectory(tx, org.id, params.channelId, id), 'live channel')
    })
    return { channelId: params.channelId, handle, name, visibility }
  },
})

export const remove = removeRoute({
  ...one,
  summary: 'Remove a live channel from a channel',
  description: 'Broadcasts of the live channel stay listed, without a channel.',
  params,
  reply: { channelId: Id },
  done: 'removed',
  what: 'live channel',
  async remove({ params, org, db }) {
    const id = await mustFind(channels.lockOwn(db, org.id, parseHandle(params.handle)), 'channel')
    return await liveChannels.setDirectory(db, org.id, params.channelId, null, id)
  },
})
