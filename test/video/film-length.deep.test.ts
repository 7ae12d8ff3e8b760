import { join } from 'node:path'
import t, { type Test } from 'tap'
import { mint } from '../../ops/video-client.ts'
import { ffmpeg } from '../media/ffmpeg.ts'
import { h264, numbered, readNumbers } from '../media/sources.ts'
import { chromiumPath, startBrowser, videoGets, videoSays, watchedPage } from '../support/browser.ts'
import { decodeErrors, fetchText, frameCounts, mediaPlaylist, playlistsOf } from '../support/hls.ts'
import { shakaSite } from '../support/shaka.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t)
const rate = 25

/** Sends a film whose sound is longer than its picture. */
async function send(name: string, picture: number, sound: number): Promise<string> {
  const path = join(stack.data, name)
  const inputs = ['-f', 'lavfi', '-i', numbered(String(rate), picture), '-f', 'lavfi', '-i', `sine=r=48000:d=${sound}`]
  await ffmpeg(...inputs, ...h264, '-g', '25', '-c:a', 'aac', path)
  return await stack.send(path)
}

const sum = (lengths: string[]) => lengths.reduce((all, length) => all + Number(length), 0)

/** Lengths of all media playlists, in seconds. */
async function lengthsOf(hlsUrl: string): Promise<Record<string, number>> {
  const playlists = await Promise.all(
    (await playlistsOf(hlsUrl)).filter((url) => url.endsWith('.m3u8')).map(mediaPlaylist),
  )
  return Object.fromEntries(playlists.map(({ url, lengths }) => [url.split('/').at(-1), sum(lengths)]))
}

/** That an asset is so long, wherever its length is told. */
async function checkLength(t: Test, assetId: string, seconds: number): Promise<string> {
  const { durationSeconds } = await stack.read(assetId)
  t.equal(durationSeconds, seconds, 'the asset')
  const { hlsUrl } = (await mint(stack.api, assetId)) as { hlsUrl: string }
  for (const [name, length] of Object.entries(await lengthsOf(hlsUrl)))
    t.ok(Math.abs(length - seconds) < 0.025, `${name}: ${length} s, to a block of sound`)
  const master = await fetchText(hlsUrl)
  const track = /"millrace\.thumbnails",VALUE="([^"]+)"/.exec(master)?.[1] ?? ''
  const ends = [...(await fetchText(new URL(track, hlsUrl).href)).matchAll(/--> (\d+):(\d+):([\d.]+)/g)]
  const [, hours, minutes, rest] = ends.at(-1) ?? []
  t.equal(Number(hours) * 3600 + Number(minutes) * 60 + Number(rest), seconds, 'the pictures of the seek bar')
  return hlsUrl
}

t.test('a copy whose sound would go on for a moment ends with its picture, until the ladder has all', async (t) => {
  const assetId = await send('moment.mp4', 4, 4.5)
  const intake = await stack.startWorkers({}, 'core,media-intake')
  await until(async () => (await stack.read(assetId)).playable)
  const { hlsUrl } = (await mint(stack.api, assetId)) as { hlsUrl: string }
  const lengths = await lengthsOf(hlsUrl)
  t.same(Object.keys(lengths), ['source.m3u8', 'audio.m3u8'])
  for (const [name, length] of Object.entries(lengths))
    t.ok(Math.abs(length - 4) < 0.06, `${name}: ${length} s, to some blocks of sound`)
  await intake.stop()
  await stack.startWorkers()
  await stack.ready(assetId)
  await checkLength(t, assetId, 4.52)
})

t.test('while the sound goes on, the last picture is held, and all is of one length', async (t) => {
  const assetId = await send('long.mp4', 3, 27)
  await stack.ready(assetId)
  const hlsUrl = await checkLength(t, assetId, 27)
  t.same(await frameCounts(hlsUrl), [27 * rate])
  const shown = await readNumbers((await playlistsOf(hlsUrl))[0] as string)
  t.same(
    shown,
    Array.from({ length: 27 * rate }, (_, i) => Math.min(i, 3 * rate - 1)),
  )
  t.equal(await decodeErrors(hlsUrl), '')

  await t.test('Shaka plays it to its end', async (t) => {
    const { page, errors } = await watchedPage(await startBrowser(t, chromiumPath))
    await page.goto(`${await shakaSite(t)}?source=${encodeURIComponent(hlsUrl)}`)
    await videoGets(page, 'video.readyState >= 2')
    t.ok(Math.abs(Number(await videoSays(page, 'video.duration')) - 27) < 0.03)
    await videoSays(page, 'video.currentTime = 25.5')
    await videoSays(page, 'video.play()')
    await videoGets(page, 'video.ended')
    t.same([await page.evaluate('complaints'), errors], [[], []])
  })
})

t.test('what an encoder fills its last block with holds no picture', async (t) => {
  const assetId = await send('block.mp4', 4, 4.05)
  await stack.ready(assetId)
  t.same(await frameCounts(await checkLength(t, assetId, 4)), [4 * rate])
})
