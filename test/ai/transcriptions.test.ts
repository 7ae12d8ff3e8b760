import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import OpenAI, { toFile } from 'openai'
import t from 'tap'
import { z } from 'zod'
import { create as createKey, type KeyAi } from '#sql/account/keys.ts'
import * as prices from '#sql/ai/prices.ts'
import { sql } from '#sql/db.ts'
import { ffmpeg } from '../media/ffmpeg.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

t.setTimeout(240_000)
const stack = await videoStack(t, { areas: ['ai', 'account'] })
const { db, ingress } = stack
const { org, keys } = await testOrg(db, ['ai:invoke', 'account:write'])

/** A speech service, like the ones that create captions. */
let hold: Promise<void> | undefined
let asked = 0
const server = createServer(async (request, response) => {
  request.resume()
  await once(request, 'end')
  asked++
  await hold
  const words = ['Refunds', 'arrive', 'in', '<14>', 'days.'].map((word, i) => ({
    word,
    start: i / 2,
    end: i / 2 + 0.4,
  }))
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ text: 'Refunds arrive in <14> days.', language: 'english', words }))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
t.teardown(() => server.close())
const speech = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`

const path = join(stack.data, 'talk.mp3')
await ffmpeg('-f', 'lavfi', '-i', 'sine=f=300:d=4', '-ac', '1', '-ar', '16000', path)
const talk = await readFile(path)
await stack.startWorkers({ SPEECH_API_URL: speech, SPEECH_API_MODEL: 'whisper-large' }, 'media')

const baseURL = `${ingress.url}/v1/ai`
const sdk = new OpenAI({ baseURL, apiKey: keys.main, maxRetries: 0 })
const rows = () => db.oneFirst(sql.typeAlias('count')`select count(*) from ai.audio`)

async function post(body: FormData | string, more: { headers?: Record<string, string>; signal?: AbortSignal } = {}) {
  const headers = { authorization: `Bearer ${keys.main}`, ...more.headers }
  const signal = more.signal ?? null
  const res = await fetch(`${baseURL}/audio/transcriptions`, { method: 'POST', headers, body, signal })
  const text = await res.text()
  const isJson = res.headers.get('content-type')?.startsWith('application/json')
  return { status: res.status, headers: res.headers, text, body: isJson ? JSON.parse(text) : undefined }
}

function form(fields: Record<string, string | Blob> = {}): FormData {
  const made = new FormData()
  for (const [name, value] of Object.entries({ file: new Blob([talk]), model: 'default', ...fields })) {
    if (value !== '-') made.append(name, value)
  }
  return made
}

t.test('OpenAI’s SDK has the words in each format', async (t) => {
  const file = () => toFile(talk, 'talk.mp3')
  const text = 'Refunds arrive in <14> days.'
  const plain = await sdk.audio.transcriptions.create({ file: await file(), model: 'whisper-1', language: 'en' })
  t.match(plain, { text, usage: { type: 'duration' } })
  const ask = (response_format: 'text' | 'srt' | 'vtt') => post(form({ response_format, language: 'en' }))
  t.equal((await ask('text')).text, `${text}\n`)
  const srt = await ask('srt')
  t.match(srt.text, /^1\n00:00:00,000 --> 00:00:0\d,\d{3}\nRefunds arrive in <14> days\.\n$/)
  const vtt = await ask('vtt')
  t.match(vtt.headers.get('content-type'), /^text\/vtt/)
  t.match(vtt.text, /^WEBVTT\n\n00:00:00\.000 --> 00:00:0\d\.\d{3}\nRefunds arrive in &lt;14&gt; days\.\n$/)
  const verbose = await sdk.audio.transcriptions.create({
    file: await file(),
    model: 'whisper-1',
    response_format: 'verbose_json',
    timestamp_granularities: ['word', 'segment'],
  })
  t.match(verbose, { language: 'english', text, segments: [{ id: 0, start: 0, text }] })
  t.same(verbose.words?.[1], { word: 'arrive', start: 0.5, end: 0.9 })
  t.ok(verbose.duration > 3.9 && verbose.duration < 4.2, `${verbose.duration}`)
  t.equal(await rows(), 0, 'the audio is deleted with its answer')
  const [used] = await db.any(sql.type(z.object({ outcome: z.string(), tokens: z.number(), requests: z.number() }))`
    select outcome, prompt_tokens::float8 as tokens, requests::float8 from ai.usage
    where org_id = ${org.id} and operation = 'transcription'`)
  t.match(used, { outcome: 'done', requests: 5 })
  t.ok((used?.tokens ?? 0) >= 200 && (used?.tokens ?? 0) < 230, `${used?.tokens}`)
})

t.test('a key pays for each minute of audio, and stops at its budget', async (t) => {
  const unit = 1_000_000_000
  const price = { currency: 'USD', input: 0, cached_input: null, output: 0, minute: unit, created_by: 'test' }
  await prices.add(db, { model: '127.0.0.1 whisper-large', ...price })
  const about = { orgId: org.id, prefix: 'bt_live_' as const, scopes: ['ai:invoke'] }
  const limited = (ai: KeyAi) => createKey(db, { ...about, name: 'limited', ai })
  const key = await limited({ budget: { currency: 'USD', monthly: unit / 100 } })
  const ask = (secret: string) => post(form({ language: 'en' }), { headers: { authorization: `Bearer ${secret}` } })
  t.equal((await ask(key.secret)).status, 200)
  const cost = await db.oneFirst(sql.type(z.object({ cost: z.string() }))`
    select cost::text from ai.costs where key_id = ${key.id} and operation = 'transcription'`)
  t.ok(Number(cost) > unit / 16 && Number(cost) < unit / 14, cost)
  t.match(await ask(key.secret), { status: 429, body: { error: { code: 'insufficient_quota' } } })
  const { secret } = await limited({ models: ['gpt-4o'] })
  t.match(await ask(secret), { status: 403, body: { error: { code: 'model_not_allowed' } } })
})

t.test('wrong forms are refused with every field, and nothing is stored', async (t) => {
  const before = asked
  const two = form()
  two.append('file', new Blob([talk]))
  const twice = form({ language: 'en' })
  twice.append('language', 'de')
  const cases: [string, FormData, string[]][] = [
    ['no file', form({ file: '-' }), ['body.file']],
    ['an empty file', form({ file: new Blob([]) }), ['body.file']],
    ['two files', two, ['body.file']],
    ['no model', form({ model: '-' }), ['body.model']],
    ['a long model', form({ model: 'x'.repeat(201) }), ['body.model']],
    ['an unknown language', form({ language: 'tlh' }), ['body.language']],
    ['a language twice', twice, ['body.language']],
    ['an empty language', form({ language: '' }), ['body.language']],
    ['a format', form({ response_format: 'xml' }), ['body.response_format']],
    ['times without their format', form({ timestamp_granularities: 'word' }), ['body.timestamp_granularities[]']],
    [
      'unknown times',
      form({ 'timestamp_granularities[]': 'letter', response_format: 'verbose_json' }),
      ['body.timestamp_granularities[].0'],
    ],
    ['a temperature', form({ temperature: '0.5' }), ['body.temperature']],
    ['a prompt', form({ prompt: 'names' }), ['body.prompt']],
    ['a stream', form({ stream: 'true' }), ['body.stream']],
    ['an unknown field', form({ colour: 'red' }), ['body.colour']],
    ['a field that is a file', form({ language: new Blob(['en']) }), ['body.language']],
    ['a field that is long', form({ prompt: 'x'.repeat(5_000) }), ['body.prompt']],
    [
      'several',
      form({ model: '-', stream: 'true', temperature: '1' }),
      ['body.model', 'body.stream', 'body.temperature'],
    ],
  ]
  for (const [name, body, fields] of cases) {
    const reply = await post(body)
    t.match([reply.status, reply.body.error], [400, { type: 'invalid_request_error' }], name)
    t.same(fieldsOf(reply).sort(), fields, name)
  }
  const type = (boundary: string) => ({ headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } })
  const part = (head: string) => `--x\r\n${head}\r\n\r\ndata\r\n--x--\r\n`
  for (const [body, headers] of [
    ['', type('x')],
    ['--x', type('x')],
    ['--x\r\n', type('x')],
    ['--y--', type('x')],
    ['--x--', type('')],
    ['--x--', type('x'.repeat(71))],
    [part(''), type('x')],
    [part('content-disposition: attachment; name="file"'), type('x')],
    [part('content-disposition: form-data'), type('x')],
    [`--x\r\n${'a'.repeat(10_000)}`, type('x')],
    [`${'--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n'.repeat(40)}--x--`, type('x')],
  ] as const) {
    const reply = await post(body, headers)
    t.match(
      [reply.status, reply.body.error],
      [400, { type: 'invalid_request_error', message: String }],
      body.slice(0, 60),
    )
  }
  const wrongType = await post('{}', { headers: { 'content-type': 'application/json' } })
  t.match([wrongType.status, wrongType.body.error.type], [415, 'invalid_request_error'])
  t.equal((await post(form(), { headers: { authorization: 'Bearer no' } })).status, 401)
  t.equal(await rows(), 0)
  t.equal(asked, before)
})

t.test('a file that is no audio, or too large, is refused', async (t) => {
  for (const bytes of [Buffer.from('not audio'), Buffer.alloc(100_000), talk.subarray(0, 10)]) {
    const reply = await post(form({ file: new Blob([bytes]) }))
    t.match([reply.status, reply.body?.error], [400, { code: 'invalid_audio', param: 'file' }], reply.text)
  }
  const silent = join(stack.data, 'silent.mp4')
  await ffmpeg('-f', 'lavfi', '-i', 'color=d=1', '-an', silent)
  const image = await post(form({ file: new Blob([await readFile(silent)]) }))
  t.match([image.status, image.body.error], [400, { code: 'invalid_audio', message: /no audio/ }])
  const large = await post(form({ file: new Blob([Buffer.alloc(100 * 2 ** 20)]) })).catch((error: Error) => error)
  // The connection can close while the client still sends.
  if (!(large instanceof Error)) t.match([large.status, large.body.error.code], [413, 'payload_too_large'])
  const long = join(stack.data, 'long.mp3')
  await ffmpeg('-f', 'lavfi', '-i', 'anullsrc=r=8000:cl=mono:d=1810', '-b:a', '8k', long)
  const late = await post(form({ file: new Blob([await readFile(long)]) }))
  t.match([late.status, late.body.error], [400, { code: 'audio_too_long', param: 'file' }])
  t.equal(await rows(), 0)
})

t.test('a client that goes away, and a spent budget, end the work', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  hold = promise
  const before = asked
  const gone = new AbortController()
  const about = { orgId: org.id, prefix: 'bt_live_' as const, scopes: ['ai:invoke'], name: 'gone' }
  const key = await createKey(db, about)
  const headers = { authorization: `Bearer ${key.secret}` }
  const waiting = post(form(), { signal: gone.signal, headers }).catch((error: Error) => error)
  await until(() => asked > before)
  gone.abort()
  t.ok((await waiting) instanceof Error)
  await until(async () => (await rows()) === 0, { what: 'the audio is deleted' })
  const brokenOff = sql.type(z.object({ n: z.number() }))`
    select 1 as n from ai.usage where org_id = ${org.id} and outcome = 'broken_off'`
  await until(() => db.exists(brokenOff), { what: 'the work is cancelled' })
  const cost = sql.type(z.object({ cost: z.string() }))`select cost::text from ai.costs where key_id = ${key.id}`
  t.ok(Number(await db.oneFirst(cost)) > 0, 'its audio is charged')
  resolve()
  hold = undefined
  await ingress.ask('PUT /v1/account/budgets/ai.tokens', { key: keys.main, body: { hard: 1 } })
  const spent = await post(form())
  t.match([spent.status, spent.body.error.code], [429, 'insufficient_quota'])
})
