/** Runs a live origin with one channel and an ingress with the video area in one process. Sends their addresses. */
import { config } from '#lib/config.ts'
import { newId } from '#lib/ids.ts'
import { openPool, sql } from '#sql/db.ts'
import * as liveSessions from '#sql/live/sessions.ts'
import { createApp } from '../../../../ingress/http/app.ts'
import { provide } from '../../../../ingress/http/container.ts'
import { listen } from '../../../../ingress/http/server.ts'
import { signingSecret } from '../../../../ingress/http/services.ts'
import { video } from '../../../../ingress/video/index.ts'
import { createLiveOrigin } from '../../../../workers/live/origin/index.ts'
import { sendResult } from '../child.ts'

export interface ServeSettings {
  url: string
  secret: string
  folder: string
  input: string
  channelId: string
  broadcastId: string
}

export interface ServeAddress {
  port: number
  origin: string
}

const settings = JSON.parse(process.argv[2] ?? '{}') as ServeSettings
const { url, secret, folder, input, channelId, broadcastId } = settings
const db = await openPool(url, config.DATABASE_POOL)
const origin = await createLiveOrigin({ folder, secret, partMs: config.LIVE_PART_MS, ffmpeg: config.FFMPEG_PATH })
const workerId = newId()
await db.query(sql.typeAlias('void')`
  insert into jobs.workers (id, pool, locked_by, host, pid, concurrency, lease)
  values (${workerId}, 'live', ${workerId}, 'bench', ${process.pid}, 1, interval '1 hour')`)
await liveSessions.claim(db, {
  channel_id: channelId,
  worker_id: workerId,
  origin_url: origin.url,
  source: 'primary',
  broadcast_id: broadcastId,
})
origin.startChannel({ channelId, input, inputOptions: ['-re', '-stream_loop', '-1'], dvrSeconds: 600 })
const app = createApp({ db, areas: [video], services: [provide(signingSecret, secret)] })
const server = await listen(app, '127.0.0.1', 0)
const serving: ServeAddress = { port: server.port, origin: origin.url }
sendResult(serving)
process.on('SIGTERM', async () => {
  await server.close(0)
  await app.close()
  await origin.close()
  await db.end()
  process.exit(0)
})
