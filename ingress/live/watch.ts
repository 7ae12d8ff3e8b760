import { z } from 'zod'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { listUpcoming } from '#sql/live/scheduled.ts'
import { route } from '../http/route.ts'
import { storage } from '../http/services.ts'
import { sendEmbed } from '../playback/embed.ts'
import { admitLive, liveRefusals } from './channel-admission.ts'
import { renderLivePlayer } from './watch-page.ts'

export const page = route({
  method: 'GET',
  path: '/live/watch/{token}',
  summary: 'Watch a live channel',
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  limit: false,
  viewers: true,
  status: 200,
  raw: 'text/html',
  problems: liveRefusals,
  params: z.object({ token: z.string().max(1000) }),
  async handle(call) {
    const admitted = admitLive(call, call.params.token)
    await sendEmbed(call.ctx, {
      storageOrigin: call.services(storage).publicOrigin,
      admitted,
      content: renderLivePlayer,
      title: ({ name }) => name,
      images: ({ channel_id }) => listPosterOrigins(call.db, channel_id),
    })
  },
})

/** The page is also sent while the database is unavailable. It then has no poster. */
async function listPosterOrigins(db: DatabasePool, channelId: string): Promise<readonly string[]> {
  try {
    const [next] = await listUpcoming(db, channelId)
    return next?.poster_url ? [new URL(next.poster_url).origin] : []
  } catch (error) {
    log.debug({ err: error }, 'scheduled broadcasts could not be read')
    return []
  }
}
