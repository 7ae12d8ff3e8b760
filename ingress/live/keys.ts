import { z } from 'zod'
import { conflict, notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import * as channels from '#sql/live/channels.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { makePassphrase, makeStreamKey, rtmpUrl, srtUrl } from './ingest.ts'

/** Replaces a stream key. Publishers with the old key are disconnected within three seconds. */
export const rotate = route({
  method: 'POST',
  path: '/live/channels/{channelId}/keys/rotate',
  summary: 'Rotate a stream key',
  description:
    'The new key is returned only once. Publishers with the old key are disconnected within three seconds. The other keys stay valid. `srt` creates a new passphrase.',
  scope: 'stream:write',
  params: z.object({ channelId: pathId('live channel') }),
  body: z.strictObject({ which: z.enum(['primary', 'backup', 'srt']).default('primary') }).prefault({}),
  status: 201,
  reply: z
    .object({
      channelId: Id,
      which: z.enum(['primary', 'backup', 'srt']),
      streamKey: secret(z.string()).describe('New stream key. For `srt`, the new passphrase.'),
      url: secret(z.string()).describe('Complete URL to publish to, including the key'),
    })
    .meta({ id: 'live.Key' }),
  problems: ['not_found', 'conflict'],
  example: { body: { which: 'primary' } },
  async handle({ params: { channelId }, body: { which }, org, db, origin, services }) {
    const { srt_port: port } = await mustFind(channels.find(db, org.id, channelId), 'live channel')
    if (which === 'srt' && port === null) throw conflict('The channel has no SRT port. Use RTMP instead.')
    const made = which === 'srt' ? makePassphrase(channelId, services) : makeStreamKey()
    const column = which === 'srt' ? 'srt_passphrase' : (`${which}_hash` as const)
    await db.transaction(async (tx) => {
      if (!(await channels.setKey(tx, org.id, channelId, column, made.stored))) throw notFound('live channel')
      await channels.notifyChanged(tx, channelId)
    })
    const url = port !== null && which === 'srt' ? srtUrl(origin, port, made.text) : `${rtmpUrl(origin)}/${made.text}`
    return { channelId, which, streamKey: made.text, url }
  },
})
