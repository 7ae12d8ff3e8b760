import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { browserCookie, signedIn } from '../app/fixture.ts'
import { chromiumPath, keepPicture } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { webStack } from '../support/web-stack.ts'

const execute = promisify(execFile)
t.setTimeout(240_000)
const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'

t.test('pages publish and watch', { skip }, async (t) => {
  const stack = await webStack(t, ['app', 'account'])
  const { live, peers, publish, watch, run, sees, is } = stack
  await stack.startRooms()
  const [publisher, viewer, channel] = [await peers.open(), await peers.open(), await live.makeChannel()]
  const ask = (location: string, method: string, body: string | null, key: string) =>
    fetch(location, {
      method,
      body,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/trickle-ice-sdpfrag' },
    })
  let published: { location: string; ufrag: string }

  await t.test('what a page publishes is broadcast as H.264 and AAC', async (t) => {
    published = await publish(publisher, channel.primary, { clock: true })
    t.match(published, { status: 201, type: /application\/sdp/, location: /\/whip\// })
    const { stream, ingest } = await channel.state('live', 'primary')
    t.match(stream, { videoCodec: /^avc1/, audioCodec: /^mp4a/, width: 320, height: 180 })
    t.match(ingest.whip.url, /\/live\/whip$/)
    const { body } = await live.ask(`POST /v1/stream/live/channels/${channel.id}/playback-sessions`, { body: {} })
    const shown = ['-v', 'error', '-show_entries', 'stream=codec_name', '-of', 'csv=p=0']
    const { stdout } = await execute('ffprobe', [...shown, body.hlsUrl])
    t.same([...new Set(stdout.split('\n').filter(Boolean))].toSorted(), ['aac', 'h264'])
  })

  await t.test('candidates are taken, and a restart of ICE is not', async (t) => {
    const line = 'a=candidate:1 1 udp 1 192.0.2.1 9999 typ host'
    const fragment = (ufrag: string) => `a=ice-ufrag:${ufrag}\r\nm=audio 9 RTP/AVP 0\r\na=mid:0\r\n${line}\r\n`
    const patch = (ufrag: string, key = channel.primary) => ask(published.location, 'PATCH', fragment(ufrag), key)
    t.equal((await patch(published.ufrag)).status, 204)
    t.equal((await patch('other')).status, 422)
    t.equal((await patch(published.ufrag, channel.backup)).status, 404, 'the connection is another key’s')
  })

  await t.test('a viewer sees it by WHEP within half a second, until their session is revoked', async (t) => {
    const watched = await watch(viewer, channel)
    t.match(watched, { status: 201, location: /\/whep\// })
    await sees(viewer)
    const seen: number[] = await run(viewer, 'latencies', 30)
    const median = seen.toSorted((a, b) => a - b)[15] ?? Number.NaN
    t.ok(median < 500, `${median} ms`)
    const counted = sql.type(z.object({ viewers: z.number() }))`select viewers from live.web_publishers`
    await until(async () => (await live.db.oneFirst(counted)) === 1, { what: 'the viewer is counted' })
    // As if many did: those by HLS are counted for a while after they have gone.
    await live.db.query(sql.typeAlias('void')`update live.web_publishers set viewers = 41`)
    await until(async () => ((await channel.read()).stream?.viewers ?? 0) >= 41, { what: 'they are told' })
    t.equal((await live.ask(`DELETE /v1/stream/assets/playback-sessions/${watched.sessionId}`)).status, 200)
    await is(viewer, 'watching', ['disconnected', 'failed', 'closed'])
    const { packetsReceived } = (await run(viewer, 'received')).video
    t.equal((await run(viewer, 'received')).video.packetsReceived, packetsReceived)
  })

  await t.test('a key is for one', async (t) => {
    const second = await peers.open()
    t.match(await publish(second, channel.primary), { status: 409, body: { error: { code: 'key_in_use' } } })
    t.match((await channel.read()).lastRefusal, { source: 'primary', reason: 'key_in_use' })
    t.match(await publish(second, channel.backup, { codec: 'video/vp8' }), { status: 422 })
    const other = await live.makeChannel({ record: false })
    const encoder = live.publish(live.rtmp(other.primary))
    await other.state('live', 'primary')
    t.match(await publish(second, other.primary), { status: 409, body: { error: { code: 'key_in_use' } } })
    encoder.kill('SIGKILL')
    await Promise.all([second.close(), viewer.close()])
  })

  await t.test('who ends what they publish is off the air', async (t) => {
    t.equal((await ask(published.location, 'DELETE', null, channel.primary)).status, 200)
    t.equal((await ask(published.location, 'DELETE', null, channel.primary)).status, 404)
    await channel.state('idle')
    await live.ask(`POST /v1/stream/live/channels/${channel.id}/end`, { body: {} })
    await publisher.close()
  })

  await t.test('sound is broadcast while the camera is off, and pictures once it is on', async (t) => {
    const [page, quiet] = [await peers.open(), await live.makeChannel({ record: false })]
    t.match(await publish(page, quiet.primary, { camera: false }), { status: 201 })
    const { stream, lastRefusal } = await quiet.state('live', 'primary')
    t.match([stream.audioCodec, stream.videoCodec ?? null, lastRefusal ?? null], [/^mp4a/, null, null])
    await run(page, 'camera')
    await until(async () => /^avc1/.test((await quiet.read()).stream?.videoCodec ?? ''), {
      ...{ timeout: 30_000, what: 'pictures are broadcast' },
    })
    await page.close()
  })

  await t.test('a member publishes from the dashboard', async () => {
    const context = await peers.browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
    const { url } = live.ingress
    await context.addCookies([browserCookie(url, await signedIn(live.db, url, live.orgId, 'developer'))])
    const page = await context.newPage()
    await page.goto(`${url}/app/live/${channel.id}/studio`)
    const status = page.locator('[role=status]')
    const start = page.getByRole('button', { name: 'Go live' })
    await page.getByLabel('Stream key').fill('live_nothing')
    await start.click()
    await status.getByText('does not belong to a live channel').waitFor()
    await page.getByLabel('Stream key').fill(channel.backup)
    await start.click()
    await status.getByText('You are live').waitFor()
    await channel.state('live', 'backup')
    await keepPicture(page, 'studio-mobile-dark.png')
    await page.getByRole('button', { name: 'Stop' }).click()
    await status.getByText('The broadcast ended').waitFor()
    await channel.state('idle')
  })
})
