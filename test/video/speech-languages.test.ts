import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { mint } from '../../ops/video-client.ts'
import { ffmpeg } from '../media/ffmpeg.ts'
import { fetchText } from '../support/hls.ts'
import { fieldsOf } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

t.setTimeout(180_000)
const stack = await videoStack(t)
const { ask } = stack

/** What the stand-in of a service was asked for, and what it answers next. */
const asked: (string | null)[] = []
let answer: unknown = {}
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const headers = { 'content-type': request.headers['content-type'] as string }
  const form = await new Response(Buffer.concat(chunks), { headers }).formData()
  asked.push(form.get('language') as string | null)
  response.setHeader('content-type', 'application/json')
  response.end(typeof answer === 'string' ? answer : JSON.stringify(answer))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
t.teardown(() => server.close())
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`

const source = join(stack.data, 'talk.m4a')
await ffmpeg('-f', 'lavfi', '-i', 'sine=f=300:d=4', '-ac', '1', '-ar', '8000', '-c:a', 'aac', source)
const said = (text: string) => ({
  text,
  words: text.split(' ').map((word, i) => ({ word, start: i / 2, end: i / 2 + 0.4 })),
})

await stack.startWorkers({ SPEECH_API_URL: url, SPEECH_API_MODEL: 'whisper-large' })
const assetId = await stack.send(source, { captions: [{ language: 'auto', default: true }] })

const caption = (language: string, id = assetId) => ask(`POST /v1/stream/assets/${id}/captions`, { body: { language } })
// biome-ignore lint/suspicious/noExplicitAny: tests look at every field of captions.
const ended = (find: (one: any) => boolean, state: string, id = assetId): Promise<any> =>
  until(
    async () => (await stack.read(id)).captions.find((one: { state: string }) => one.state === state && find(one)),
    {
      timeout: 60_000,
      what: `captions are ${state}`,
    },
  )

t.test('the list has the languages of the engine', async (t) => {
  await stack.ready(assetId)
  const { body } = await ask('GET /v1/stream/captions/languages')
  t.match(body, { engine: '127.0.0.1 whisper-large', forSearchOnly: false, detectsLanguage: true })
  t.ok(body.languages.length > 90)
  for (const one of [
    { language: 'de', name: 'German' },
    { language: 'jv', name: 'Javanese' },
    { language: 'et', name: 'Estonian' },
  ])
    t.ok(
      body.languages.some((found: object) => JSON.stringify(found) === JSON.stringify(one)),
      one.name,
    )
  for (const language of ['DE', 'german', 'tlh', 'de-AT']) {
    const reply = await caption(language)
    t.match(reply, {
      status: 400,
      body: { error: { code: 'language_unsupported', message: /`auto`, `en`, .*`yue|`su`/ } },
    })
    t.strictSame(fieldsOf(reply), ['body.language'])
  }
  const captions = [{ language: 'en' }, { language: 'auto', text: 'WEBVTT\n\n00:01.000 --> 00:02.000\nx\n' }]
  const reply = await ask('POST /v1/stream/uploads', { body: { bytes: 5, captions } })
  t.strictSame([reply.status, fieldsOf(reply)], [400, ['body.captions.1.language']])
  const none = await ask('POST /v1/stream/uploads', { body: { bytes: 5, captions: [{ language: 'tlh' }] } })
  t.strictSame([none.status, fieldsOf(none)], [400, ['body.captions.0.text']])
})

t.test('if the service detects no language, the error says what to do', async (t) => {
  t.match(await ended(() => true, 'failed'), {
    language: 'auto',
    detected: true,
    failure_summary: /rejected the request/,
    captionPath: `/v1/stream/assets/${assetId}/captions/auto.vtt`,
  })
  for (const language of [undefined, null, 7, 'x'.repeat(5_000), 'klingon of the north', '../../en', '']) {
    answer = { ...said('nuqneH'), language }
    asked.length = 0
    await caption('auto')
    await until(() => asked.length === 1, { timeout: 60_000 })
    t.match(await ended(() => true, 'failed'), { language: 'auto', failure_summary: /did not return the language/ })
  }
})

t.test('a detected language is stored, and sent with later parts and requests', async (t) => {
  answer = { ...said('Guten Morgen zusammen.'), language: 'german' }
  asked.length = 0
  const first = (await caption('auto')).body
  t.match(first, { language: 'auto', captionPath: `/v1/stream/assets/${assetId}/captions/auto.vtt` })
  t.match(await ended(() => true, 'ready'), {
    language: 'de',
    detected: true,
    default: true,
    engine: '127.0.0.1 whisper-large',
    captionPath: `/v1/stream/assets/${assetId}/captions/de.vtt`,
  })
  t.strictSame(asked, [null], 'no language was sent')
  t.match((await caption('auto')).body, { requestId: first.requestId, state: 'ready', language: 'de' })
  t.match((await caption('de')).body, { requestId: first.requestId, state: 'ready', language: 'de' })
  const texts = await Promise.all(
    ['auto', 'de'].map(async (name) => (await ask(`GET /v1/stream/assets/${assetId}/captions/${name}.vtt`)).text),
  )
  t.match(texts[0], 'Guten Morgen zusammen.')
  t.equal(texts[0], texts[1])
  t.match(
    await fetchText((await mint(stack.api, assetId)).hlsUrl),
    /NAME="Deutsch \(automatic\)",LANGUAGE="de",DEFAULT=YES/,
  )
})

t.test('the transcript has the words of the engine, and is found', async (t) => {
  const { body } = await ask(`GET /v1/stream/assets/${assetId}/captions/auto/transcript`)
  t.match(body, { language: 'de', source: 'automatic', engine: '127.0.0.1 whisper-large' })
  t.strictSame(body.cues[0].words[1], { start: 0.5, end: 0.9, text: 'Morgen' })
  const found = await ask(`GET /v1/stream/assets/${assetId}/transcript/search?q=morgens`)
  t.match(found.body.data, [{ language: 'de', highlight: 'Guten <mark>Morgen</mark> zusammen.' }])
})

t.test('a language is sent as the model names it', async () => {
  asked.length = 0
  answer = { ...said('Sugeng enjing'), language: 'javanese' }
  await caption('jv')
  await ended(({ language }) => language === 'jv', 'ready')
  t.strictSame(asked, ['jw'])
})

t.test('captions that are there are not replaced by a detected language', async (t) => {
  const id = await stack.send(source)
  await stack.ready(id)
  const text = 'WEBVTT\n\n00:01.000 --> 00:02.000\nOurs.\n'
  await ask(`PUT /v1/stream/assets/${id}/captions/de`, { body: { text } })
  answer = { ...said('Guten Morgen'), language: 'de' }
  await caption('auto', id)
  t.match(await ended(({ language }) => language === 'auto', 'failed', id), { failure_summary: /already has captions/ })
  t.match((await ask(`GET /v1/stream/assets/${id}/captions/de.vtt`)).text, 'Ours.')
  t.equal((await ask(`GET /v1/stream/assets/${id}/captions/auto.vtt`)).status, 404)
  await ask(`DELETE /v1/stream/assets/${id}/captions/de`)
  asked.length = 0
  await caption('auto', id)
  t.match(await ended(() => true, 'ready', id), { language: 'de', detected: true })
  t.equal((await ask(`PUT /v1/stream/assets/${id}/captions/auto`, { body: { text } })).status, 400)
  t.match(await ask(`DELETE /v1/stream/assets/${id}/captions/auto`), { status: 200 })
  t.strictSame((await stack.read(id)).captions, [])
})

t.test('a video in which nothing is said has empty captions without a language', async (t) => {
  const id = await stack.send(source)
  await stack.ready(id)
  answer = { text: '', language: 'english', words: [] }
  await caption('auto', id)
  t.match(await ended(() => true, 'ready', id), { language: 'und', detected: true })
  t.strictSame((await ask(`GET /v1/stream/assets/${id}/captions/auto/transcript`)).body.cues, [])
  t.equal((await ask(`GET /v1/stream/assets/${id}/captions/auto/transcript.txt`)).text, '')
})
