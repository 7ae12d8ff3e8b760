import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { mint } from '../../ops/video-client.ts'
import { ffmpeg } from '../media/ffmpeg.ts'
import { chromiumPath, startBrowser, videoGets, videoSays, watchedPage } from '../support/browser.ts'
import { fetchText, mediaPlaylist, playlistsOf } from '../support/hls.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'
import { captioning } from './captioning.ts'

t.setTimeout(240_000)
const speechKey = 'sk-of-the-tests-alone-0123456789'

const stack = await videoStack(t)
const { ask, db } = stack
const { caption, ended } = captioning(stack)
const source = join(stack.data, 'lecture.m4a')
await ffmpeg('-f', 'lavfi', '-i', 'sine=f=300:d=150', '-ac', '1', '-ar', '8000', '-c:a', 'aac', source)
let workers = await stack.startWorkers()
const lecture = await stack.send(source)
await stack.ready(lecture)

t.test(
  'a service hears a lecture stretch by stretch; a worker that dies costs one, and the key shows nowhere',
  async (t) => {
    const asked: { authorization: string | undefined; model: unknown; seconds: number }[] = []
    let trouble = 401
    let deadly = 0
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const headers = { 'content-type': request.headers['content-type'] as string }
      const form = await new Response(Buffer.concat(chunks), { headers }).formData()
      const { size } = form.get('file') as File
      const { authorization } = request.headers
      const isRight =
        request.url === '/v1/audio/transcriptions' &&
        form.get('response_format') === 'verbose_json' &&
        form.get('language') === 'en' &&
        form.getAll('timestamp_granularities[]').includes('word')
      const seconds = (size - 44) / 32_000
      asked.push({ authorization, model: isRight && form.get('model'), seconds })
      if (trouble) {
        response.writeHead(trouble).end(`${authorization} is not known`)
        return
      }
      if (asked.length === deadly) await workers.kill()
      const words = ['so', 'it', 'is'].map((word, i) => ({ word, start: 5.3 + i / 4, end: 5.5 + i / 4 }))
      response.setHeader('content-type', 'application/json')
      // The last word ends long after the sound, as whisper.cpp has it.
      words.push({ word: 'bye', start: seconds - 1, end: seconds + 26 })
      response.end(JSON.stringify({ text: 'So it is! Bye', words }))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(() => server.close())
    const { port } = server.address() as AddressInfo
    const environment = {
      SPEECH_API_URL: `http://127.0.0.1:${port}/v1/`,
      SPEECH_API_KEY: speechKey,
      SPEECH_API_MODEL: 'whisper-large',
      LOG_LEVEL: 'debug',
    }
    await workers.kill()
    workers = await stack.startWorkers(environment, 'media')
    await caption(lecture)
    t.match(await ended(lecture, 'failed'), { failure_summary: /rejected the request/ })
    const firstLines = workers.lines

    // Once more, with a fault that passes: asked again after its first answer, and its worker dies at the second stretch.
    trouble = 500
    await caption(lecture)
    await until(() => asked.length === 2, { timeout: 60_000 })
    deadly = 4
    trouble = 0
    await until(() => asked.length === 4, { timeout: 60_000 })
    await workers.ended
    workers = await stack.startWorkers(environment, 'core,media')
    await ended(lecture, 'ready')
    t.strictSame(asked.slice(1, 3), [asked[0], asked[0]], 'refused, failed, heard')
    t.strictSame(asked[3], asked[4], 'what the dead worker was at is heard again, and nothing before it')
    t.equal(asked.length, 5)
    const whole = (asked[2]?.seconds ?? 0) + (asked[4]?.seconds ?? 0)
    t.ok(Math.abs(whole - 150) < 0.2, `${whole} of 150 s were heard`)
    t.match(asked, Array(asked.length).fill({ authorization: `Bearer ${speechKey}`, model: 'whisper-large' }))

    const { text } = await ask(`GET /v1/stream/assets/${lecture}/captions/en.vtt`)
    t.equal(text.match(/^So it is!$/gm)?.length, 2, 'once a stretch, spelt as in the text')
    t.match(text, /\n00:00:05\.300 --> /)
    const starts = [...text.matchAll(/^(\d+):(\d+):([\d.]+) -->/gm)].map(
      ([, h, m, s]) => +(h ?? 0) * 3600 + +(m ?? 0) * 60 + +(s ?? 0),
    )
    const first = asked[2]?.seconds ?? 0
    t.equal(starts.length, 4, 'what one stretch says last is apart from what the next says first')
    t.ok(Math.abs((starts[2] ?? 0) - first - 5.3) < 0.01, 'times are those of the whole')

    const everywhere = await db.any(sql.unsafe`
    select error from jobs.runs where subject = ${lecture} union all select error from jobs.failures`)
    const log = [...firstLines, ...workers.lines, JSON.stringify(everywhere)].join('\n')
    t.match(log, /\[masked\] is not known/)
    t.notMatch(log, speechKey)
  },
)

t.test('captions are cut like the film, each cue in every segment during which it is shown', async (t) => {
  const { hlsUrl } = await mint(stack.api, lecture)
  const lists = await Promise.all((await playlistsOf(hlsUrl)).map(mediaPlaylist))
  const [film, captions] = [lists.find(({ url }) => /audio/.test(url)), lists.find(({ url }) => /captions/.test(url))]
  if (!film || !captions) throw new Error('a playlist is missing')
  t.ok(film.lengths.length > 20)
  t.strictSame(captions.lengths, film.lengths)
  const target = /TARGETDURATION:\d+/
  t.equal(target.exec(captions.text)?.[0], target.exec(film.text)?.[0])
  const at = (h = 0, m = 0, s = 0) => h * 3600 + m * 60 + s
  const read = (text: string) =>
    [...text.matchAll(/^(\d+):(\d+):([\d.]+) --> (\d+):(\d+):([\d.]+)$/gm)].map((found) => {
      const [h, m, s, toH, toM, toS] = found.slice(1).map(Number)
      return { from: at(h, m, s), to: at(toH, toM, toS) }
    })
  const all = read((await ask(`GET /v1/stream/assets/${lecture}/captions/en.vtt`)).text)
  const ends = captions.lengths.map((_, i) => captions.lengths.slice(0, i + 1).reduce((sum, s) => sum + Number(s), 0))
  let shown = 0
  for (const [i, url] of captions.segments.entries()) {
    const text = await fetchText(url)
    t.match(text, /^WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00\.000\n/)
    const [start, end] = [ends[i - 1] ?? 0, i === ends.length - 1 ? Number.POSITIVE_INFINITY : (ends[i] as number)]
    const expected = all.filter(({ from, to }) => from < end && to > start)
    t.strictSame(read(text), expected, url)
    shown += expected.length
  }
  t.ok(shown > all.length, 'one of them is over a border')
  t.equal((await fetch(captions.segments[0]?.replace('00000', '00099') as string)).status, 404)
})

t.test('a player that seeks fetches the captions of where it goes', { skip: !existsSync(chromiumPath) }, async (t) => {
  const browser = await startBrowser(t, chromiumPath)
  const { page, answers, errors } = await watchedPage(browser)
  await page.goto((await mint(stack.api, lecture)).embedUrl)
  await videoGets(page, 'video.readyState >= 2')
  await page.keyboard.press('c')
  const active = '[...video.textTracks].flatMap((track) => [...(track.activeCues ?? [])].map((cue) => cue.text))'
  await videoSays(page, '(video.currentTime = 5.5)')
  await videoGets(page, `String(${active}) === 'So it is!'`)
  await videoSays(page, '(video.currentTime = 149.5)')
  await videoGets(page, `String(${active}) === 'Bye'`)
  const fetched = () => new Set(answers.flatMap(({ name }) => /^captions_en_\d+\.vtt$/.exec(name) ?? []))
  t.ok(fetched().has('captions_en_00024.vtt'))
  t.notOk(fetched().has('captions_en_00015.vtt'), 'none of those that were passed over')
  await videoSays(page, '(video.currentTime = 5.5)')
  await videoGets(page, `String(${active}) === 'So it is!'`)
  t.strictSame(errors, [])
})
