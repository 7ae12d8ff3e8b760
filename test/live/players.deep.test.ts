import { existsSync } from 'node:fs'
import t from 'tap'
import { chromiumPath, startBrowser, videoGets, videoSays, watchedPage } from '../support/browser.ts'
import { gstPublish, gstreamerPath, gstWatch } from '../support/gstreamer.ts'
import { exitOf, liveStack } from '../support/live-stack.ts'
import { shakaSite } from '../support/shaka.ts'
import { until } from '../support/until.ts'

const skip = [gstreamerPath, chromiumPath].every((path) => existsSync(path))
  ? false
  : 'GStreamer or Chromium is missing: apt-get install gstreamer1.0-tools chromium'

t.test('what GStreamer publishes over SRT is watched by other players than ours', { skip }, async (t) => {
  const stack = await liveStack(t)
  await stack.startLive()
  const channel = await stack.makeChannel({ record: false, visibility: 'unlisted' })
  // As encoders do: a connection that breaks is opened again.
  const over = new AbortController()
  t.teardown(() => over.abort())
  void (async () => {
    while (!over.signal.aborted) await exitOf(gstPublish(t, channel.srt, 120 * 25))
  })()
  const { playback } = await channel.state('live', 'srt')
  const browser = await startBrowser(t, chromiumPath)
  const mediaPlaylist = playback.open.replace('index', 'live')
  await until(async () => (await (await fetch(mediaPlaylist)).text()).split('#EXTINF').length > 4)

  await t.test('Shaka', async (t) => {
    const { page, answers, errors } = await watchedPage(browser)
    await page.goto(`${await shakaSite(t)}?source=${encodeURIComponent(playback.open)}`)
    await page.evaluate('player.configure({ streaming: { lowLatencyMode: true } })')
    await videoGets(page, 'video.readyState >= 2')
    await videoSays(page, 'video.play()')
    const begun = Number(await videoSays(page, 'video.currentTime'))
    await videoGets(page, `video.currentTime > ${begun + 8}`)
    t.equal(await page.evaluate('player.isLive()'), true)
    t.ok(Number(await videoSays(page, 'video.getVideoPlaybackQuality().totalVideoFrames')) > 8 * 20)
    t.ok(Number(await videoSays(page, 'video.webkitAudioDecodedByteCount')) > 10_000, 'sound was heard')
    t.strictSame([await page.evaluate('complaints'), errors], [[], []])
    t.ok(
      answers.some(({ name }) => /-p\d+\.m4s$/.test(name)),
      'it takes parts',
    )
    await page.close()
  })

  await t.test('GStreamer, as it is and as it was', async (t) => {
    t.ok(await gstWatch(t, playback.open, 150))
    t.ok(await gstWatch(t, playback.open, 150, true))
  })
})
