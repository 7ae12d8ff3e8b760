import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import { config } from '#lib/config.ts'
import { guardAddresses } from '#lib/network/address-guard.ts'
import { createSeal } from '#lib/seal.ts'
import { sealPurpose } from '#sql/live/channels.ts'
import { channelRestreams, sealPurpose as restreamSeal } from '#sql/live/restreams.ts'
import { createAdmissions } from '#tasks/live/rules/admissions.ts'
import { restreamTargets } from '#tasks/live/rules/restream-targets.ts'
import { restreamRules } from '#tasks/live/rules/restream-url.ts'
import { srtPorts } from '#tasks/live/rules/srt-ports.ts'
import { startIngest } from '../../workers/live/ingest/ingest.ts'
import { createLiveOrigin } from '../../workers/live/origin/index.ts'
import { Restreams } from '../../workers/live/restream/restreams.ts'
import { createMediaTools } from '../../workers/media/media-tools.ts'
import { awayPostgres } from '../support/away-postgres.ts'
import { leaseholder } from '../support/leaseholder.ts'
import { liveStack } from '../support/live-stack.ts'
import { until } from '../support/until.ts'
import { signingSecret } from '../support/video-stack.ts'
import { watch } from './viewer.ts'

/** Milliseconds without a part that a player's buffer does not bear; the machine may be slow, but not as long as Postgres is away. */
const stallMs = 3_500

/** Stops Postgres for some seconds under a broadcast with two viewers, who notice nothing; new ones are told to come again. */
export async function broadcastGoesOn(t: Test, seconds: number): Promise<void> {
  const { url, db, pool, away } = await awayPostgres(t)
  const stack = await liveStack(t, { database: { url, db } })
  const ffmpeg = config.FFMPEG_PATH
  const origin = await createLiveOrigin({ folder: join(stack.data, 'live'), secret: signingSecret })
  const { storage } = stack.store
  const workerId = await leaseholder(db, 'live')
  const ingestDb = await pool()
  const ingest = await startIngest({
    admissions: createAdmissions({
      db: ingestDb,
      storage,
      workerId,
      originUrl: origin.url,
      reconnectSeconds: 2,
    }),
    handshakes: 64,
    transcodeCores: 1,
    srtPorts: srtPorts(ingestDb, workerId, [1, 1]),
    storage,
    origin,
    restreams: new Restreams({
      targets: restreamTargets(channelRestreams, ingestDb, workerId),
      guard: guardAddresses(restreamRules),
      seal: createSeal(signingSecret, restreamSeal),
      ffmpeg,
    }),
    ffmpeg,
    seal: createSeal(signingSecret, sealPurpose),
    media: createMediaTools({ ffmpegPath: ffmpeg, ffprobePath: config.FFPROBE_PATH, threads: 1 }),
    nginx: { program: config.LIVE_NGINX_PATH, module: config.LIVE_RTMP_MODULE },
    host: '127.0.0.1',
    port: stack.port,
  })
  t.teardown(async () => {
    await ingest.close()
    await origin.close()
  })

  const channel = await stack.makeChannel({ visibility: 'unlisted' })
  const publisher = stack.publish(stack.rtmp(channel.primary))
  const { stream } = await channel.state('live')
  const front = await stack.another(await pool(), { databaseTimeoutMs: 4_000 })
  const path = `POST /v1/stream/live/channels/${channel.id}/playback-sessions`
  const mint = () => front.ask(path, { key: stack.key, body: {} })
  const { body: session } = await mint()
  const { body: revoked } = await mint()
  const viewers = [session.hlsUrl, `${front.url}/v1/stream/live/open/${channel.id}/index.m3u8`].map(watch)
  t.teardown(() => Promise.all(viewers.map((viewer) => viewer.stop())).then(() => {}))
  await until(() => viewers.every((viewer) => viewer.parts() > 5)).finally(() => {
    for (const { refusals } of viewers) t.comment(`refused: ${refusals.slice(0, 5).join('; ')}`)
  })
  t.equal((await fetch(revoked.hlsUrl)).status, 200)
  t.equal((await stack.ask(`DELETE /v1/stream/assets/playback-sessions/${revoked.sessionId}`)).status, 200)

  const isOut = async () => (await fetch(revoked.hlsUrl)).status === 403
  await until(isOut)

  await away(seconds, async () => {
    await pause(2_000)
    const refused = await mint()
    t.equal(refused.status, 503, 'nobody new is let in')
    t.ok(Number(refused.headers.get('retry-after')) >= 1)
    t.ok(await isOut(), 'whose session was revoked stays out')
  })
  const back = Date.now()
  const now = await until(async () => {
    const shown = await channel.read().catch(() => undefined)
    return shown?.state === 'live' && Date.parse(shown.stream?.lastPartAt) > back && shown
  })

  t.equal(now.stream.broadcastId, stream.broadcastId, 'it is the same broadcast')
  t.equal(publisher.exitCode, null, 'its publisher stayed connected')
  for (const viewer of viewers) {
    t.notMatch(viewer.refusals.join(), /server_error|token_/, 'it was never refused')
    t.ok(viewer.longestGap() < stallMs, `no part came for ${Math.round(viewer.longestGap())} ms at most`)
  }
  await until(async () => (await mint()).status === 201, { what: 'others are let in again' })
  t.equal((await stack.ask(`DELETE /v1/stream/assets/playback-sessions/${session.sessionId}`)).status, 200)
  await until(() => viewers[0]?.refusals.some((refusal) => refusal.includes('403')), { what: 'who is revoked is out' })
}
