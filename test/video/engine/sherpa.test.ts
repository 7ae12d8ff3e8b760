import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { createMediaTools } from '../../../workers/media/media-tools.ts'
import { catalogue } from '../../../workers/media/speech/models/catalogue.ts'
import { SpeechModels } from '../../../workers/media/speech/models/model.ts'
import { sherpa } from '../../../workers/media/speech/sherpa.ts'
import { call, scratch } from '../../media/pipeline.ts'
import { commandLine } from '../../support/millrace.ts'
import { until } from '../../support/until.ts'
import { fileServer } from '../file-server.ts'
import { toneArchive, toneList, tones } from '../tone-archive.ts'

const folder = await scratch(t)
const at = (name: string) => join(folder, name)
const tools = createMediaTools({ nice: 0, grace: 500 })
const models = at('models')
const archive = await toneArchive(folder)
const bytes = await readFile(archive)
const list = at('list.json')
await writeFile(list, JSON.stringify(await toneList(archive)))
const sound = at('tones.wav')
await tones(sound)
const millrace = commandLine('postgres://nobody@127.0.0.1:1/none', { MILLRACE_DATA: folder })
const add = (more: string) => millrace.run(`models add tones --list ${list} ${more}`)
const part = join(models, `.${createHash('sha256').update(bytes).digest('hex')}.part`)

t.test('the built-in models are pinned, and their form is that of own lists', async (t) => {
  t.strictSame(SpeechModels.parse(catalogue), catalogue)
  const shown = await millrace.ask('models list')
  t.match(
    shown.find(({ name }: { name: string }) => name === 'whisper-base'),
    { installed: false, licence: 'MIT' },
  )
  t.equal(new Set(catalogue.map(({ sha256 }) => sha256)).size, catalogue.length)
})

t.test('a model that is missing is named, with the command that adds it', async (t) => {
  const engine = sherpa(tools, { folder: models, model: 'tones' })
  t.strictSame(await engine.abilities(), { languages: [], detects: false })
  await t.rejects(engine.check(), { code: 'no_engine', evidence: /millrace models add tones/ })
  t.match(await millrace.run('models add nothing'), { code: 2, err: /"nothing" is not a model/ })
  t.match(await add(`--file ${archive} --url http://127.0.0.1`), { code: 2, err: /cannot be used together/ })
  t.match(await add(`--file ${at('missing')}`), { code: 1, err: /cannot be read/ })
})

/** Sends the first bytes, and cuts the connection when they have been stored. */
async function cut(response: ServerResponse, first: Buffer): Promise<void> {
  response.write(first)
  await until(async () => (await stat(part)).size > 0)
  response.destroy()
}

t.test('a download that was cut continues, and a wrong one is deleted', async (t) => {
  const ranges: (string | undefined)[] = []
  const half = Math.floor(bytes.length / 2)
  let wrong = false
  const server = await fileServer(t, {
    [`/models/${basename(archive)}`]: (request, response) => {
      const { range } = request.headers
      ranges.push(range)
      const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0)
      const rest = wrong ? Buffer.alloc(bytes.length) : bytes.subarray(from)
      response.writeHead(from > 0 ? 206 : 200, { 'content-length': String(rest.length) })
      if (range || wrong) response.end(rest)
      else void cut(response, rest.subarray(0, half))
    },
  })
  const url = `--url ${server.url('/models/')}`
  t.match(await add(url), { code: 1, err: /cannot be downloaded.*Run the command again/s })
  const { size } = await stat(part)
  t.ok(size > 0 && size <= half, `${size} bytes are kept`)
  t.match(await add(url), { code: 0, out: /Set SPEECH_MODEL=tones/ })
  t.strictSame(ranges, [undefined, `bytes=${size}-`])
  await rm(join(models, 'tones'), { recursive: true })
  wrong = true
  t.match(await add(url), { code: 1, err: /The SHA-256 of .* is .*Nothing was installed/ })
  await t.rejects(stat(part), { code: 'ENOENT' })
  await t.rejects(stat(join(models, 'tones')), { code: 'ENOENT' })
  t.match(await add(`--url ${server.url('/elsewhere')}`), { code: 1, err: /returned 404/ })
})

t.test('a model from a file is used by the engine, in its own process without network', async (t) => {
  t.match(await add(`--file ${archive} --json`), { code: 0 })
  const engine = sherpa(tools, { folder: models, model: 'tones' })
  await engine.check()
  t.strictSame(await engine.abilities(), { languages: ['tlh'], detects: false })
  const input = { path: sound, seconds: 8, folder, language: 'tlh' }
  const { words, language } = await engine.transcribe(input, call)
  t.strictSame(
    words.map(({ text, from }) => [text, Math.round(from * 2) / 2]),
    [
      ['hum', 0.5],
      ['beep', 2.5],
      ['hum', 4.5],
      ['beep', 6.5],
    ],
  )
  t.ok(words.every(({ from, to }) => to > from && to <= 8))
  t.equal(language, 'tlh')
  const abort = new AbortController()
  abort.abort(new Error('cancelled'))
  await t.rejects(engine.transcribe(input, { signal: abort.signal }), { message: 'cancelled' })
})

t.test('a model that the library cannot read fails with its reason', async (t) => {
  await writeFile(join(models, 'tones', 'tones.onnx'), 'nothing')
  const engine = sherpa(tools, { folder: models, model: 'tones' })
  const input = { path: sound, seconds: 8, folder, language: 'tlh' }
  await t.rejects(engine.transcribe(input, call), { name: 'TransientEngineError' })
  t.equal(dirname(archive), folder)
})

t.test('other files of a model archive are not unpacked', async (t) => {
  const { stdout } = await promisify(execFile)('ls', ['-A', join(models, 'tones')])
  t.strictSame(stdout.trim().split('\n').sort(), ['model.json', 'tokens.txt', 'tones.onnx'])
})
