import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { mint } from '../../ops/video-client.ts'
import { ffmpeg } from '../media/ffmpeg.ts'
import { film, numbered } from '../media/sources.ts'
import { chromiumPath, startBrowser, videoGets, videoSays, watchedPage } from '../support/browser.ts'
import { decodeErrors, fetchText, mediaPlaylist, playlistsOf, readStreams } from '../support/hls.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { shakaSite } from '../support/shaka.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

t.setTimeout(180_000)
const stack = await videoStack(t)
const { ask, store } = stack
const at = (name: string) => join(stack.data, name)
const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '60', '-pix_fmt', 'yuv420p']
await film(at('a.mp4'), numbered('30', 14, '160:90'), { codec, sound: 'sine=f=440:r=48000' })
await film(at('mute.mp4'), numbered('30', 7, '160:90'), { codec, sound: null })
await ffmpeg('-f', 'lavfi', '-i', 'sine=f=880:r=44100:d=9', '-c:a', 'libmp3lame', at('dub.mp3'))

await stack.startWorkers()
const [assetId, mute, dub] = (await Promise.all(
  ['a.mp4', 'mute.mp4', 'dub.mp3'].map((name) => stack.send(at(name))),
)) as [string, string, string]
for (const id of [assetId, mute, dub]) await stack.ready(id)

const sounds = (id: string) => `/v1/stream/assets/${id}/sounds`
const add = (id: string, body: object, key = stack.key) =>
  ask(`POST ${sounds(id)}`, { key, body: { sourceAssetId: dub, language: 'de', ...body } })
const ended = async (id: string, soundId: string, state: string) =>
  await until(
    async () => {
      const { body } = await ask(`GET ${sounds(id)}/${soundId}`)
      if (body.state === 'failed' && state !== 'failed') throw new Error(body.failure_summary)
      return body.state === state && body
    },
    { timeout: 60_000, what: `the track is ${state}` },
  )

/** The tone of a media playlist, by how often its wave crosses zero in a second. */
async function heard(playlist: string, from = 2): Promise<number> {
  const sound = [
    '-http_persistent',
    '0',
    '-i',
    playlist,
    '-af',
    `atrim=${from}:${from + 1}`,
    '-ac',
    '1',
    '-ar',
    '48000',
  ]
  const pcm = await ffmpeg(...sound, '-f', 's16le', '-')
  const wave = new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length / 2)
  return wave.filter((value, i) => i > 0 && value >= 0 && (wave[i - 1] as number) < 0).length
}

t.test('a track is added while a viewer watches, chosen in players, cut by windows, and deleted', async (t) => {
  const before = await mint(stack.api, assetId)
  const segments = (await mediaPlaylist((await playlistsOf(before.hlsUrl))[0] as string)).segments
  const made = await add(assetId, { name: 'Deutsch "neu"', default: true })
  t.match(made, { status: 201, body: { assetId, sourceAssetId: dub, language: 'de', state: 'queued', default: true } })
  await ended(assetId, made.body.id, 'ready')
  await ask(`DELETE /v1/stream/assets/${dub}`)

  t.equal((await fetch(segments.at(-1) as string)).status, 200, 'running players continue')
  const master = await fetchText(before.hlsUrl)
  t.match(master, /NAME="Deutsch ”neu”",LANGUAGE="de",DEFAULT=YES/)
  t.match(master, /NAME="Audio",DEFAULT=NO/)
  const playlist = (await playlistsOf(before.hlsUrl)).find((url) => url.includes('/sound_')) as string
  t.ok(Math.abs((await heard(playlist)) - 880) < 8, 'the added tone')
  t.ok((await heard(playlist, 10)) < 8, 'silence after its end')
  const streams = await readStreams(before.hlsUrl)
  const starts = streams.map(({ start }) => start)
  t.ok(Math.max(...starts) - Math.min(...starts) < 0.03, `all tracks start together: ${starts}`)
  t.equal(await decodeErrors(before.hlsUrl), '')
  t.match((await stack.read(assetId)).renditions, [{}, { name: 'audio' }, { name: made.body.rendition }])

  const windowed = await mint(stack.api, assetId, { start: 7 })
  const cut = (await playlistsOf(windowed.hlsUrl)).find((url) => url.includes('/sound_')) as string
  t.ok((await mediaPlaylist(cut)).segments.every((url) => !url.endsWith('_00000.m4s')))

  if (existsSync(chromiumPath))
    await t.test('players choose it', async (t) => {
      const browser = await startBrowser(t)
      const { page, errors } = await watchedPage(browser)
      await page.goto(`${await shakaSite(t)}?source=${encodeURIComponent(before.hlsUrl)}`)
      await videoGets(page, 'video.readyState >= 2')
      t.same(await page.evaluate('player.getAudioTracks().map(({ language }) => language).sort()'), ['de', 'und'])
      await page.evaluate(`player.selectAudioTrack(player.getAudioTracks().find(({ language }) => language === 'de'))`)
      await videoSays(page, 'video.play()')
      await videoGets(page, 'video.currentTime > 2')
      t.same([await page.evaluate('complaints'), errors], [[], []])

      const ours = await watchedPage(browser)
      await ours.page.goto(before.embedUrl)
      await videoGets(ours.page, 'video.readyState >= 2')
      await ours.page.getByRole('button', { name: 'Play' }).first().click()
      await videoSays(ours.page, 'video.pause()')
      await ours.page.getByRole('button', { name: 'Sound' }).click()
      await ours.page.getByRole('menuitemradio', { name: 'Deutsch ”neu”' }).click()
      await videoGets(ours.page, 'video.readyState >= 2')
      t.ok(ours.answers.some(({ name }) => name.startsWith('sound_')))
      t.same(ours.errors, [])
    })

  t.match(await ask(`DELETE ${sounds(assetId)}/${made.body.id}`), { status: 200, body: { deleted: true } })
  t.equal((await ask(`DELETE ${sounds(assetId)}/${made.body.id}`)).status, 404)
  t.notMatch(await fetchText(before.hlsUrl), 'sound_')
  t.match(await fetchText(before.hlsUrl), /NAME="Audio",DEFAULT=YES/)
  t.equal((await fetch(playlist)).status, 200, 'players that use it can finish')
  t.ok(
    (await store.list('video/packages/')).some((key) => key.includes('sound_')),
    'its files stay for a day',
  )
})

t.test('a silent video becomes one with sound', async (t) => {
  const source = await stack.send(at('dub.mp3'))
  await until(async () => (await stack.read(source)).status !== 'uploading')
  const { body } = await add(mute, { sourceAssetId: source, language: 'fr' })
  await ended(mute, body.id, 'ready')
  const { hlsUrl } = await mint(stack.api, mute)
  const master = await fetchText(hlsUrl)
  t.match(master, /CODECS="avc1[^"]+,mp4a.40.2".*AUDIO="audio"/)
  t.match(master, /NAME="français",LANGUAGE="fr",DEFAULT=NO/)
  t.equal(await decodeErrors(hlsUrl), '')
})

t.test('errors of audio that cannot be added have a reason', async (t) => {
  const { keys } = await testOrg(stack.db, ['stream:read', 'stream:write'])
  t.equal((await add(assetId, {}, keys.main)).status, 404)
  t.same(fieldsOf(await add(assetId, {})), ['body.sourceAssetId'], 'it was deleted')
  t.same(new Set(fieldsOf(await add(assetId, { language: '??', name: '' }))), new Set(['body.language', 'body.name']))
  const silent = await add(assetId, { sourceAssetId: mute })
  t.match(await ended(assetId, silent.body.id, 'failed'), { failure_code: 'no_audio', failure_summary: /no audio/ })
})
