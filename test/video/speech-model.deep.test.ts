import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { commandLine } from '../support/millrace.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'
import { toneArchive, toneList, tones } from './tone-archive.ts'

t.setTimeout(180_000)
const stack = await videoStack(t)
const folder = await mkdtemp(join(tmpdir(), 'millrace-model-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))

t.test('a video is transcribed with a model that was added by the command line', async (t) => {
  const archive = await toneArchive(folder)
  const list = join(folder, 'list.json')
  await writeFile(list, JSON.stringify(await toneList(archive)))
  const settings = { MILLRACE_DATA: folder }
  const added = await commandLine(stack.databaseUrl, settings).run(`models add tones --list ${list} --file ${archive}`)
  t.match(added, { code: 0 })
  const source = join(folder, 'tones.wav')
  await tones(source)
  await stack.startWorkers({ ...settings, SPEECH_MODEL: 'tones' })
  const assetId = await stack.send(source)
  await stack.ready(assetId)
  const { body } = await stack.ask('GET /v1/stream/captions/languages')
  t.match(body, { engine: 'sherpa-onnx tones', languages: [{ language: 'tlh' }], detectsLanguage: false })
  t.equal((await stack.ask(`POST /v1/stream/assets/${assetId}/captions`, { body: { language: 'en' } })).status, 400)
  await stack.ask(`POST /v1/stream/assets/${assetId}/captions`, { body: { language: 'tlh' } })
  await until(async () => (await stack.read(assetId)).captions[0]?.state === 'ready', { timeout: 60_000 })
  const transcript = await stack.ask(`GET /v1/stream/assets/${assetId}/captions/tlh/transcript`)
  t.match(transcript.body, { engine: 'sherpa-onnx tones', cues: [{ text: 'hum' }, { text: 'beep' }, {}, {}] })
})
