import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { mint } from '../../ops/video-client.ts'
import { ffmpeg } from '../media/ffmpeg.ts'
import { film } from '../media/sources.ts'
import { chromiumPath, keepPicture, startBrowser, videoGets, videoSays, watchedPage } from '../support/browser.ts'
import { fetchText, mediaPlaylist, playlistsOf } from '../support/hls.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { videoStack, type Workers } from '../support/video-stack.ts'

t.setTimeout(180_000)
const sentence = 'Good morning everyone. This is a video about the history of the railway.'
const speechKey = 'sk-of-the-tests-alone-0123456789'

const stack = await videoStack(t)
const { ask, db, store } = stack
const at = (name: string) => join(stack.data, name)
const picture = ['-f', 'lavfi', '-i', 'color=navy:s=160x90:r=10:d=4']
await promisify(execFile)('flite', ['-voice', 'slt', '-t', sentence, '-o', at('speech.wav')])
await ffmpeg('-i', at('speech.wav'), ...picture, '-shortest', '-c:v', 'libx264', '-c:a', 'aac', at('spoken.mp4'))
await film(at('mute.mp4'), 'color=navy:s=160x90:r=10:d=1', { sound: null })
await ffmpeg('-f', 'lavfi', '-i', 'sine=f=300:d=150', '-ac', '1', '-ar', '8000', '-c:a', 'aac', at('lecture.m4a'))

const assetIds = { spoken: '', mute: '', lecture: '' }
const caption = (assetId: string, body: object = { language: 'en' }, key = stack.key) =>
  ask(`POST /v1/stream/assets/${assetId}/captions`, { key, body })
const captionsOf = async (assetId: string) => (await stack.read(assetId)).captions[0]
const ended = (assetId: string, state: string) =>
  until(
    async () => {
      const now = await captionsOf(assetId)
      return now?.state === state && now
    },
    { timeout: 60_000, what: `captions are ${state}` },
  )

const transcriptions = async (assetId: string) =>
  await db.any(sql.unsafe`
    select state, error from jobs.runs where subject = ${assetId} and task = 'video/transcribe' order by created_at`)

let workers: Workers
/** Where the workers look for their engine; nothing is there yet. */
const enginePath = at('engine')

t.test('only English, only what is ready, and only one’s own can be captioned', async (t) => {
  assetIds.spoken = await stack.send(at('spoken.mp4'))
  t.match(await caption(assetIds.spoken), { status: 409, body: { error: { code: 'asset_not_ready' } } })
  workers = await stack.startWorkers({ POCKETSPHINX_PATH: enginePath })
  for (const [name, file] of [
    ['mute', 'mute.mp4'],
    ['lecture', 'lecture.m4a'],
  ] as const) {
    assetIds[name] = await stack.send(at(file))
  }
  for (const assetId of Object.values(assetIds)) await stack.ready(assetId)
  for (const language of ['de', 'EN', 'en-US', 'english']) {
    const reply = await caption(assetIds.spoken, { language })
    t.match(reply, { status: 400, body: { error: { code: 'language_unsupported', message: /body\.language/ } } })
  }
  t.match(await caption(assetIds.spoken, {}), { status: 400, body: { error: { code: 'bad_request' } } })
  const { keys } = await testOrg(db, ['stream:read', 'stream:write'])
  t.equal((await caption(assetIds.spoken, { language: 'en' }, keys.main)).status, 404)
  t.strictSame((await stack.read(assetIds.spoken)).captions, [])
})

t.test('without an engine captions fail with a word to the operator', async (t) => {
  await caption(assetIds.spoken)
  t.match(await ended(assetIds.spoken, 'failed'), { failure_summary: /No transcription engine is set up/ })
  t.match(await transcriptions(assetIds.spoken), [{ state: 'failed', error: `${enginePath} (POCKETSPHINX_PATH)` }])
  await symlink('/usr/bin/pocketsphinx_continuous', enginePath)
})

t.test('what is said comes back as captions, made once however often they are asked for', async (t) => {
  const assetId = assetIds.spoken
  const before = await mint(stack.api, assetId)
  t.notMatch(await fetchText(before.hlsUrl), 'SUBTITLES')
  const replies = await Promise.all([1, 2, 3].map(() => caption(assetId)))
  const [first] = replies
  t.strictSame(
    replies.map(({ status }) => status),
    [201, 201, 201],
  )
  t.equal(new Set(replies.map(({ body }) => body.requestId)).size, 1)
  const captionPath = `/v1/stream/assets/${assetId}/captions/en.vtt`
  t.match(first?.body, { assetId, language: 'en', state: /queued|processing|ready/, captionPath })
  t.strictSame(await ended(assetId, 'ready'), {
    ...{ language: 'en', state: 'ready', progress_percent: 100, failure_summary: null, captionPath },
  })
  t.match((await caption(assetId)).body, { requestId: first?.body.requestId, state: 'ready' })
  t.match(await transcriptions(assetId), [{ state: 'failed' }, { state: 'done' }], 'once after it had failed')

  const file = await ask(`GET ${captionPath}`)
  t.match(file.headers.get('content-type'), /^text\/vtt/)
  const words = new Set(file.text.toLowerCase().match(/[a-z]+/g))
  const expected = sentence.toLowerCase().match(/[a-z]+/g) as string[]
  const heard = expected.filter((word) => words.has(word))
  t.ok(heard.length > expected.length * 0.7, `heard ${heard.length} of ${expected.length}: ${file.text}`)
  // An independent reader of the format finds the same cues.
  await writeFile(at('read.vtt'), file.text)
  const read = (await ffmpeg('-i', at('read.vtt'), '-f', 'srt', '-')).toString()
  t.equal(read.match(/-->/g)?.length, file.text.match(/-->/g)?.length)
  const { keys } = await testOrg(db, ['stream:read'])
  t.equal((await ask(`GET ${captionPath}`, { key: keys.main })).status, 404)

  // The player that asks for the playlist again is offered them, also with its old token.
  const master = await fetchText(before.hlsUrl)
  t.match(master, /TYPE=SUBTITLES.*LANGUAGE="en".*URI="[0-9a-f-]+\/captions_en\.m3u8"/)
  t.equal(master.match(/#EXT-X-STREAM-INF:/g)?.length, master.match(/SUBTITLES="captions"/g)?.length)
  const playlist = (await playlistsOf(before.hlsUrl)).find((url) => url.endsWith('captions_en.m3u8')) as string
  const [segmentUrl = ''] = (await mediaPlaylist(playlist)).segments
  t.match(segmentUrl, /\/captions_en_00000\.vtt$/)
  t.equal(await fetchText(segmentUrl), file.text)
  t.equal(await fetchText(new URL('captions_en.vtt', playlist).href), file.text, 'as older playlists name it')
  await ask(`DELETE /v1/stream/assets/playback-sessions/${before.sessionId}`)
  for (const url of [playlist, segmentUrl]) t.equal((await fetch(url)).status, 403, 'a revoked token gets none')
})

t.test('a viewer switches captions on in the menu and sees them', { skip: !existsSync(chromiumPath) }, async (t) => {
  const browser = await startBrowser(t)
  const { page, errors } = await watchedPage(browser)
  await page.goto((await mint(stack.api, assetIds.spoken)).embedUrl)
  await videoGets(page, 'video.readyState >= 2')
  await page.getByRole('button', { name: 'Play' }).first().click()
  await videoSays(page, 'video.pause()')
  await videoGets(page, '[...video.textTracks].every((track) => track.mode !== "showing")')
  await page.getByRole('button', { name: 'Captions' }).click()
  await page.getByRole('menuitemradio', { name: 'English (automatic)' }).click()
  const shown = '[...video.textTracks].filter((track) => track.mode === "showing")'
  await videoGets(page, `${shown}.some((track) => track.cues.length > 0)`)
  const lastCue = `[...${shown}[0].cues].at(-1)`
  await videoSays(page, `(video.currentTime = ${lastCue}.startTime + 0.3)`)
  await videoGets(
    page,
    `${shown}.some((track) => [...(track.activeCues ?? [])].some((cue) => /railway/.test(cue.text)))`,
  )
  await keepPicture(page, 'captions.png')
  await page.keyboard.press('c')
  await videoGets(page, `${shown}.length === 0`)
  t.strictSame(errors, [])
})

t.test('a video without sound says so', async (t) => {
  t.equal((await caption(assetIds.mute)).status, 201)
  t.match(await ended(assetIds.mute, 'failed'), { failure_summary: /has no sound/ })
  t.equal((await ask(`GET /v1/stream/assets/${assetIds.mute}/captions/en.vtt`)).status, 404)
})

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
    const { lecture } = assetIds
    await workers.kill()
    workers = await stack.startWorkers(environment, 'media')
    await caption(lecture)
    t.match(await ended(lecture, 'failed'), { failure_summary: /refused the request/ })
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
  const { hlsUrl } = await mint(stack.api, assetIds.lecture)
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
  const all = read((await ask(`GET /v1/stream/assets/${assetIds.lecture}/captions/en.vtt`)).text)
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
  const browser = await startBrowser(t)
  const { page, answers, errors } = await watchedPage(browser)
  await page.goto((await mint(stack.api, assetIds.lecture)).embedUrl)
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

t.test('the captions of a deleted video go with it', async (t) => {
  t.equal((await store.list('video/captions/')).length, 2)
  await ask(`DELETE /v1/stream/assets/${assetIds.spoken}`)
  t.equal((await ask(`GET /v1/stream/assets/${assetIds.spoken}/captions/en.vtt`)).status, 404)
  t.equal((await caption(assetIds.spoken)).status, 404)
  await until(async () => (await store.list('video/captions/')).length === 1, { timeout: 60_000 })
})
