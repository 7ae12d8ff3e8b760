import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { mint } from '../../ops/video-client.ts'
import { ffmpeg } from '../media/ffmpeg.ts'
import { h264, numbered } from '../media/sources.ts'
import { startBrowser, videoGets, videoSays, watchedPage } from '../support/browser.ts'
import { decodeErrors, fetchText } from '../support/hls.ts'
import { shakaSite } from '../support/shaka.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t)
const at = (name: string) => join(stack.data, name)
const seconds = 8

interface Track {
  /** Of its tone. */
  hertz: number
  language?: string
  title?: string
  undecodable?: boolean
}

async function tone({ hertz, undecodable }: Track): Promise<string> {
  const path = at(`${hertz}.m4a`)
  await ffmpeg('-f', 'lavfi', '-i', `sine=f=${hertz}:r=48000:d=${seconds}`, '-c:a', 'aac', path)
  if (undecodable) {
    const bytes = await readFile(path)
    const from = bytes.indexOf('mdat') + 4
    bytes.fill(0xaa, from, from - 8 + bytes.readUInt32BE(from - 8))
    await writeFile(path, bytes)
  }
  return path
}

/** Sends a film with some sound tracks. */
async function send(name: string, tracks: Track[]): Promise<string> {
  const tones = await Promise.all(tracks.map(tone))
  const facts = tracks.flatMap(({ language, title }, i) => [
    ...(language ? [`-metadata:s:a:${i}`, `language=${language}`] : []),
    ...(title ? [`-metadata:s:a:${i}`, `title=${title}`] : []),
  ])
  const inputs = ['-f', 'lavfi', '-i', numbered('25', seconds), ...tones.flatMap((path) => ['-i', path])]
  const maps = ['-map', '0', ...tones.flatMap((_, i) => ['-map', String(i + 1)])]
  await ffmpeg(...inputs, ...maps, ...h264, '-g', '50', '-c:a', 'copy', ...facts, at(name))
  return await stack.send(at(name))
}

/** The tone that a media playlist plays, by how often its wave crosses zero. */
async function heard(playlist: string): Promise<number> {
  const sound = ['-http_persistent', '0', '-i', playlist, '-af', 'atrim=2:3', '-ac', '1', '-ar', '48000']
  const pcm = await ffmpeg(...sound, '-f', 's16le', '-')
  const wave = new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length / 2)
  return wave.filter((value, i) => i > 0 && value >= 0 && (wave[i - 1] as number) < 0).length
}

async function soundsOf(hlsUrl: string) {
  const master = await fetchText(hlsUrl)
  const lines = master.match(/^#EXT-X-MEDIA:TYPE=AUDIO.*$/gm) ?? []
  const sounds = lines.map((line) => {
    const of = (key: string) => new RegExp(`[,:]${key}=(?:"([^"]*)"|([^,]*))`).exec(line)?.slice(1).find(Boolean)
    const [name, language, isDefault, uri = ''] = ['NAME', 'LANGUAGE', 'DEFAULT', 'URI'].map(of)
    t.equal(of('GROUP-ID'), 'audio')
    return { name, language, isDefault, url: new URL(uri, hlsUrl).href }
  })
  return { master, sounds }
}

const hlsUrlOf = async (assetId: string) => (await mint(stack.api, assetId)).hlsUrl as string
const sumOf = async (url: string) =>
  [...(await fetchText(url)).matchAll(/^#EXTINF:([\d.]+)/gm)].reduce((sum, [, length]) => sum + Number(length), 0)

t.test('a second sound track is there as soon as the film is playable, and in its ladder', async (t) => {
  const assetId = await send('two.mp4', [
    { hertz: 440, language: 'eng' },
    { hertz: 880, language: 'deu' },
  ])
  const expectBoth = async () => {
    const { sounds, master } = await soundsOf(await hlsUrlOf(assetId))
    t.match(sounds, [
      { name: 'English', language: 'en', isDefault: 'YES' },
      { name: 'German', language: 'de', isDefault: 'NO' },
    ])
    const [first = 0, second = 0] = await Promise.all(sounds.map(({ url }) => heard(url)))
    t.ok(Math.abs(first - 440) < 5 && Math.abs(second - 880) < 5, `${first} and ${second} Hz`)
    t.match(master, /CODECS="avc1\.\w+,mp4a\.40\.2"/)
    t.equal(await decodeErrors(await hlsUrlOf(assetId)), '')
  }
  const intake = await stack.startWorkers({}, 'core,media-intake')
  const asset = await until(async () => {
    const read = await stack.read(assetId)
    return read.playable ? read : null
  })
  t.match(asset, { status: 'processing', renditions: [{ name: 'source' }, { name: 'audio' }, { name: 'audio_2' }] })
  await expectBoth()
  await intake.stop()
  await stack.startWorkers()
  await stack.ready(assetId)
  t.match(await stack.read(assetId), { renditions: [{ name: '180p' }, { name: 'audio' }, { name: 'audio_2' }] })
  t.same((await stack.read(assetId)).left_out, [])
  await expectBoth()

  await t.test('Shaka changes to it', async (t) => {
    const { page, errors } = await watchedPage(await startBrowser(t))
    await page.goto(`${await shakaSite(t)}?source=${encodeURIComponent(await hlsUrlOf(assetId))}`)
    await videoGets(page, 'video.readyState >= 2')
    t.same(await page.evaluate('player.getAudioTracks().map(({ language }) => language).sort()'), ['de', 'en'])
    t.ok(Math.abs(Number(await videoSays(page, 'video.duration')) - seconds) < 0.1)
    await page.evaluate(`player.selectAudioTrack(player.getAudioTracks().find(({ language }) => language === 'de'))`)
    await videoSays(page, 'video.play()')
    await videoGets(page, 'video.currentTime > 2')
    t.equal(await page.evaluate('player.getVariantTracks().find(({ active }) => active).language'), 'de')
    t.same([await page.evaluate('complaints'), errors], [[], []])
  })
})

t.test('of ten sound tracks eight can be chosen, and what is left out is said', async (t) => {
  const tracks: Track[] = [
    { hertz: 300, language: 'ger', title: 'Der "Film"' },
    { hertz: 400, language: 'eng' },
    { hertz: 500, language: 'fre', title: 'broken', undecodable: true },
    { hertz: 600 },
    { hertz: 700, language: 'eng' },
    { hertz: 800, language: 'jpn', title: 'English' },
    { hertz: 900, language: 'und' },
    { hertz: 1000, language: 'por' },
    { hertz: 1100, language: 'ita', title: 'Commento' },
    { hertz: 1200, language: 'spa' },
  ]
  const assetId = await send('ten.mkv', tracks)
  await stack.ready(assetId)
  const { left_out } = await stack.read(assetId)
  t.strictSame(
    left_out.toSorted((a: { track: number }, b: { track: number }) => a.track - b.track),
    [
      { kind: 'audio', track: 3, language: 'fr', name: 'broken', reason: 'undecodable' },
      { kind: 'audio', track: 9, language: 'it', name: 'Commento', reason: 'limit' },
      { kind: 'audio', track: 10, language: 'es', name: null, reason: 'limit' },
    ],
  )
  const hlsUrl = await hlsUrlOf(assetId)
  const { sounds } = await soundsOf(hlsUrl)
  t.same(
    sounds.map(({ name, language, isDefault }) => [name, language, isDefault]),
    [
      ['Der ’Film’', 'de', 'YES'],
      ['English', 'en', 'NO'],
      ['Audio 3', undefined, 'NO'],
      ['English (2)', 'en', 'NO'],
      ['English (3)', 'ja', 'NO'],
      ['Audio 6', undefined, 'NO'],
      ['Portuguese', 'pt', 'NO'],
    ],
  )
  const hertz = await Promise.all(sounds.map(({ url }) => heard(url)))
  for (const [i, expected] of [300, 400, 600, 700, 800, 900, 1000].entries())
    t.ok(Math.abs((hertz[i] ?? 0) - expected) < 8, `${hertz[i]} for ${expected} Hz`)
  for (const { url } of sounds) t.ok(Math.abs((await sumOf(url)) - seconds) < 0.03)
  t.equal(await decodeErrors(hlsUrl), '')
})

t.test(
  'what an upload holds is shown or named as left out, and what is no video is refused with its reason',
  async (t) => {
    const picture = ['-itsoffset', '7', '-f', 'lavfi', '-i', numbered('25', 2)]
    const thumbnail = ['-f', 'lavfi', '-i', 'color=red:s=320x240:r=25:d=0.04']
    const inputs = [...thumbnail, ...picture, '-f', 'lavfi', '-i', 'sine=f=440:r=48000:d=9']
    const codecs = ['-c:v:0', 'mjpeg', '-c:v:1', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac']
    await ffmpeg(...inputs, '-map', '0', '-map', '1', '-map', '2', ...codecs, at('late.mkv'))
    await ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=64x36:r=10:d=1', at('drawn.gif'))
    await ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=64x36:r=10:d=1', '-c:v', 'libwebp_anim', at('drawn.webp'))
    const [late, gif, webp] = await Promise.all(
      ['late.mkv', 'drawn.gif', 'drawn.webp'].map((name) => stack.send(at(name))),
    )
    await Promise.all([late, gif].map((id) => stack.ready(id as string)))
    const film = await stack.read(late as string)
    t.match(film.left_out, [{ kind: 'video', track: 1, reason: 'limit' }])
    t.match(film.renditions, [{ name: '180p', width: 320 }, { name: 'audio' }])
    t.ok(Math.abs(film.durationSeconds - 9) < 0.1, `${film.durationSeconds} s`)
    const { sounds } = await soundsOf(await hlsUrlOf(late as string))
    t.ok(Math.abs((await heard(sounds[0]?.url ?? '')) - 440) < 5, 'heard before the picture begins')
    t.equal(await decodeErrors(await hlsUrlOf(late as string)), '')
    t.match(await stack.read(gif as string), { status: 'ready', width: 64, durationSeconds: 1, left_out: [] })
    const refused = await until(async () => {
      const asset = await stack.read(webp as string)
      return asset.status === 'failed' ? asset : null
    })
    t.match(refused, { failure_code: 'not_media', failure_summary: /Animated WebP/ })
  },
)
