import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { mint } from '../../ops/video-client.ts'
import { film, numbered, readNumbers } from '../media/sources.ts'
import { chromiumPath, startBrowser, videoGets, videoSays, watchedPage } from '../support/browser.ts'
import { fetchText, mediaPlaylist, playlistsOf, readStreams } from '../support/hls.ts'
import { fieldsOf } from '../support/ingress.ts'
import { shakaSite } from '../support/shaka.ts'
import { videoStack } from '../support/video-stack.ts'

t.setTimeout(180_000)
const stack = await videoStack(t)
const { ask } = stack
const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '60', '-pix_fmt', 'yuv420p']
const path = await film(join(stack.data, 'a.mp4'), numbered('30', 26, '160:90'), { codec })
const chapters = [
  { start: 14, title: 'Third & last' },
  { start: 0, title: 'First' },
  { start: 7.5, title: 'Second' },
]
const vtt =
  'WEBVTT\n\n00:01.000 --> 00:02.000\nearly\n\n00:08.000 --> 00:10.000\nwithin\n\n00:20.000 --> 00:21.000\nlate\n'
const windowCues = ['00:00:02.000 --> 00:00:04.000\nwithin']

await stack.startWorkers()
const assetId = await stack.send(path, { captions: [{ language: 'en', text: vtt, default: true }] })
await stack.ready(assetId)
const chaptersPath = `/v1/stream/assets/${assetId}/chapters`
const frames = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

t.test('chapters are checked, sorted, and reach players as WebVTT and in the playlist', async (t) => {
  const bad = [
    { start: 0, title: ' ' },
    { start: 0, title: 'x'.repeat(201) },
    { start: -1, title: 'a\nb' },
  ]
  const refused = await ask(`PUT ${chaptersPath}`, { body: { chapters: bad } })
  t.same(
    new Set(fieldsOf(refused)),
    new Set(['0.title', '1.title', '1.start', '2.title', '2.start'].map((field) => `body.chapters.${field}`)),
  )
  t.same(
    fieldsOf(await ask(`PUT ${chaptersPath}`, { body: { chapters: [...chapters, { start: 26, title: 'Late' }] } })),
    ['body.chapters.3.start'],
  )
  t.same(
    fieldsOf(await ask(`PUT ${chaptersPath}`, { body: { chapters: [...chapters, { start: 0, title: 'Twice' }] } })),
    ['body.chapters.3.start'],
  )
  const set = await ask(`PUT ${chaptersPath}`, { body: { chapters } })
  t.match(set, { status: 200, body: { chapters: [{ start: 0 }, { start: 7.5 }, { start: 14 }] } })
  t.match((await ask(`GET ${chaptersPath}`)).body.chapters, [{ title: 'First' }, {}, { title: 'Third & last' }])
  const { hlsUrl } = await mint(stack.api, assetId)
  t.match(await fetchText(hlsUrl), 'DATA-ID="com.apple.hls.chapters",URI="chapters.json"')
  t.match(await fetchText(new URL('chapters.vtt', hlsUrl).href), '00:00:14.000 --> 00:00:26.000\nThird &amp; last')
  const json = JSON.parse(await fetchText(new URL('chapters.json', hlsUrl).href))
  t.match(json[1], { 'start-time': 7.5, duration: 6.5, titles: [{ title: 'Second' }] })
})

t.test('a window contains whole segments, and nothing else can be loaded with its token', async (t) => {
  const session = await ask(`POST /v1/stream/assets/${assetId}/playback-sessions`, { body: { start: 7, end: 13 } })
  t.match(session, { status: 201, body: { durationSeconds: 12, window: { start: 6, end: 18 } } })
  const { hlsUrl } = session.body
  const whole = (await mint(stack.api, assetId)).hlsUrl
  t.notMatch(await fetchText(hlsUrl), 'millrace.thumbnails')
  const streams = await readStreams(hlsUrl)
  t.match(streams.find(({ kind }) => kind === 'video')?.packets, 360)
  t.strictSame((await readNumbers(hlsUrl)).slice(0, 360), frames(180, 540))
  for (const url of (await playlistsOf(whole)).filter((one) => one.endsWith('.m3u8'))) {
    const file = new URL(url).pathname.split('/').slice(-2).join('/')
    const [all, cut] = [await mediaPlaylist(url), await mediaPlaylist(new URL(file, hlsUrl).href)]
    t.ok(cut.segments.length < all.segments.length, file)
    const base = new URL(`${file.split('/')[0]}/`, hlsUrl).href
    for (const segment of new Set(all.segments)) {
      const name = segment.split('/').at(-1) as string
      const { status } = await fetch(new URL(name, base), { redirect: 'manual' })
      const isWithin = cut.segments.some((own) => own.endsWith(`/${name}`))
      t.equal(status === 403, !isWithin, `${name}: ${status}`)
    }
  }
  const [packageId] = new URL((await playlistsOf(hlsUrl))[0] as string).pathname.split('/').slice(-2)
  for (const file of ['thumbnails.vtt', 'storyboard.vtt', `${packageId}/thumbnails_000.jpg`])
    t.match(await (await fetch(new URL(file, hlsUrl))).json(), { error: { code: 'outside_window' } }, file)
  const captions = await fetchText(new URL(`${packageId}/captions_en.vtt`, hlsUrl).href)
  t.strictSame(captions.match(/^\S+ --> .*\n.*$/gm), windowCues, 'a transcript shows the cues of the window')
  const shifted = await fetchText(new URL('chapters.vtt', hlsUrl).href)
  t.match(
    shifted,
    '00:00:00.000 --> 00:00:01.500\nFirst\n\n00:00:01.500 --> 00:00:08.000\nSecond\n\n00:00:08.000 --> 00:00:12.000\n',
  )
  t.match((await ask('GET /v1/stream/playback-sessions')).body.data[1], { start: 7, end: 13 })
})

t.test('a window can have an open end, and a window outside of the video is rejected', async (t) => {
  const make = (body: object) => ask(`POST /v1/stream/assets/${assetId}/playback-sessions`, { body })
  t.match((await make({ start: 20 })).body, { durationSeconds: 8, window: { start: 18, end: 26 } })
  t.match((await make({ end: 2 })).body, { durationSeconds: 6, window: { start: 0, end: 6 } })
  t.notOk('window' in (await make({})).body)
  t.same(fieldsOf(await make({ start: 9, end: 9 })), ['body.end'])
  t.same(new Set(fieldsOf(await make({ start: 26, end: 99 }))), new Set(['body.start', 'body.end']))
})

t.test(
  'players show the length, captions and chapters of the window',
  { skip: !existsSync(chromiumPath) },
  async (t) => {
    const browser = await startBrowser(t)
    const { page, errors } = await watchedPage(browser)
    const { embedUrl, hlsUrl } = await mint(stack.api, assetId, { start: 7, end: 13 })
    await page.goto(`${embedUrl}?captions=en`)
    await videoGets(page, 'video.readyState >= 2 && Math.abs(video.duration - 12) < 0.2')
    await page.getByRole('button', { name: 'Play' }).first().click()
    await videoSays(page, 'video.pause()')
    await videoSays(page, '(video.currentTime = 2.5)')
    const showing = '[...video.textTracks].find((track) => track.mode === "showing")'
    await videoGets(page, `[...(${showing}?.activeCues ?? [])].some((cue) => cue.text === "within")`)
    await page.getByRole('button', { name: 'Chapters' }).waitFor()
    await page.getByRole('button', { name: 'Chapters' }).click()
    await page.getByRole('menuitemradio', { name: '0:08 Third & last' }).click()
    await videoGets(page, 'Math.abs(video.currentTime - 8) < 0.5')
    t.strictSame(errors, [])

    const other = await browser.newPage()
    await other.goto(`${await shakaSite(t)}?source=${encodeURIComponent(hlsUrl)}`)
    await videoGets(other, 'video.readyState >= 2 && Math.abs(video.duration - 12) < 0.3')
  },
)
