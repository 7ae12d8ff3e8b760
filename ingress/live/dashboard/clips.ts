import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { action } from '../../http/dashboard/page.ts'
import { pathId } from '../../http/request/validate.ts'
import { create } from '../clips.ts'
import { section } from './channels.ts'

const lastSeconds = 60

export const cut = action({
  path: '/live/{channel_id}/clip',
  summary: 'Cut a clip of the last minute',
  permission: 'areas:write',
  params: z.object({ channel_id: pathId('live channel') }),
  back: ({ channel_id }) => `${section.path}/${channel_id}`,
  async perform({ ask, params: { channel_id: channelId } }) {
    const { assetId } = await ask(create, { params: { channelId }, body: { lastSeconds } }, z.object({ assetId: Id }))
    return { to: `/app/videos/${assetId}`, told: 'Clip of the last minute created.' }
  },
})
