import { z } from 'zod'
import * as channels from '#sql/live/channels.ts'
import * as chats from '#sql/live/chats.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { route } from '../../http/route.ts'
import { presentSettings, Settings, SettingsChange } from './view.ts'

const shared = {
  path: '/live/channels/{channelId}/chat',
  params: z.object({ channelId: pathId('live channel') }),
  beyondContract: true,
  status: 200,
  reply: Settings,
  problems: ['not_found'],
} as const

export const read = route({
  ...shared,
  method: 'GET',
  summary: 'Read the chat settings of a channel',
  description: 'Returns when viewers can write, the limits of messages, and how long messages are kept.',
  scope: 'stream:read',
  async handle({ params: { channelId }, org, db }) {
    await mustFind(channels.find(db, org.id, channelId), 'live channel')
    const { is_open } = await chats.readOpening(db, channelId)
    return presentSettings(channelId, await chats.find(db, channelId), is_open)
  },
})

export const update = route({
  ...shared,
  method: 'PATCH',
  summary: 'Change the chat settings of a channel',
  description: 'Applies immediately, also to viewers who are connected.',
  scope: 'stream:write',
  body: SettingsChange,
  example: { body: { opens: 'always', slowSeconds: 10 } },
  async handle({ params: { channelId }, body, org, db }) {
    return await db.transaction(async (tx) => {
      const channel = await mustFind(channels.find(tx, org.id, channelId), 'live channel')
      const chat = await chats.put(tx, channel, {
        opens: body.opens,
        early_minutes: body.earlyMinutes,
        slow_seconds: body.slowSeconds,
        max_length: body.maxLength,
        history: body.history,
        keep_days: body.keepDays,
      })
      await chats.notifyState(tx, channelId)
      const { is_open } = await chats.readOpening(tx, channelId)
      return presentSettings(channelId, chat, is_open)
    })
  },
})
