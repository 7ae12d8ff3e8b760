import { access, copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { TransientEngineError } from '#lib/engine-trouble.ts'
import { readLanguage, whisperCode, whisperLanguages } from '#tasks/video/rules/captions/languages.ts'
import { TranscriptionError } from '#tasks/video/rules/captions/speech.ts'
import { createMediaTools } from '../../../workers/media/media-tools.ts'
import { pocketsphinx } from '../../../workers/media/speech/pocketsphinx.ts'
import { VerboseJson, wordsOf } from '../../../workers/media/speech/verbose-json.ts'
import { whisper } from '../../../workers/media/speech/whisper.ts'
import { ffmpeg } from '../../media/ffmpeg.ts'
import { call, engine, scratch } from '../../media/pipeline.ts'
import { until } from '../../support/until.ts'

const folder = await scratch(t)
const at = (name: string) => join(folder, name)
const tools = createMediaTools({ nice: 0, grace: 500 })
const sound = { path: at('speech.wav'), seconds: 1, folder, language: 'en' }
await ffmpeg('-f', 'lavfi', '-i', 'sine=d=1:r=16000', '-ac', '1', sound.path)
await writeFile(at('model.bin'), 'a model')

/** Makes a program that takes whisper.cpp's arguments and does something with them. */
async function program(name: string, does: string): Promise<string> {
  const options = 'case $1 in -of) out=$2;; -l) language=$2;; -f) sound=$2;; -m) model=$2;; esac'
  await writeFile(at(name), `#!/bin/bash\nwhile (($#)); do ${options}; shift; done\n${does}\n`, { mode: 0o755 })
  return at(name)
}

/** As whisper.cpp 1.9 writes it, with a tab for the `~` in a word. */
const account = JSON.stringify({
  result: { language: 'en' },
  transcription: [
    { text: '', offsets: { from: 0, to: 0 } },
    { text: ' [MUSIC]', offsets: { from: 0, to: 100 } },
    { text: ' Whisper', offsets: { from: 200, to: 600 } },
    { text: 'ed', offsets: { from: 600, to: 700 } },
    { text: ' words.~', offsets: { from: 700, to: 1500 } },
    { text: ' (upbeat', offsets: { from: 2000, to: 2000 } },
    { text: ' music)', offsets: { from: 2000, to: 2020 } },
    { text: ' And', offsets: { from: 2600, to: 2700 } },
    { text: ' (as', offsets: { from: 2700, to: 2900 } },
    { text: ' said)', offsets: { from: 2900, to: 3200 } },
    { text: ' [', offsets: { from: 3200, to: 3200 } },
    { text: ' Silence', offsets: { from: 3200, to: 3300 } },
    { text: ' ]', offsets: { from: 3300, to: 3400 } },
    { text: '"café".', offsets: { from: 4000, to: 30_000 } },
  ],
}).replaceAll('~', '\t')

await writeFile(at('account.json'), account)

t.test('whisper.cpp is given the sound, its model and the language, and its words are read', async (t) => {
  const checks = `[[ $language == en && $(head -c 4 "$sound") == RIFF && $(<"$model") == "a model" ]] || exit 3`
  const good = whisper(tools, {
    program: await program('good', `${checks}; cat ${at('account.json')} >"$out.json"`),
    model: at('model.bin'),
  })
  await good.check()
  t.strictSame((await good.transcribe(sound, call)).words, [
    { text: 'Whispered', from: 0.2, to: 0.7 },
    { text: 'words.', from: 0.7, to: 1.5 },
    { text: 'And', from: 2.6, to: 2.7 },
    { text: '(as', from: 2.7, to: 2.9 },
    { text: 'said)', from: 2.9, to: 3.2 },
    { text: '"café".', from: 4, to: 30 },
  ])
})

t.test('whisper.cpp detects a language, and its model decides which languages it supports', async (t) => {
  const model = async (name: string, tokens: number) => {
    const header = Buffer.alloc(16)
    header.writeUInt32LE(0x67676d6c)
    header.writeInt32LE(tokens, 4)
    await writeFile(at(name), header)
    return at(name)
  }
  const english = whisper(tools, { program: at('good'), model: await model('english.bin', 51_864) })
  t.strictSame(await english.abilities(), { languages: ['en'], detects: false })
  const answer = account.replace('"language":"en"', '"language":"jw"')
  await writeFile(at('javanese.json'), answer)
  const known = await model('known.bin', 51_866)
  const detects = await program('detects', `[[ $language == auto ]] && cat ${at('javanese.json')} >"$out.json"`)
  const engine = whisper(tools, { program: detects, model: known })
  const { languages, detects: canDetect } = await engine.abilities()
  t.ok(canDetect && languages.length > 90 && languages.includes('jv'))
  t.equal((await engine.transcribe({ ...sound, language: null }, call)).language, 'jv')
  const asked = await program('asked', `[[ $language == jw ]] && cat ${at('account.json')} >"$out.json"`)
  const { language } = await whisper(tools, { program: asked, model: known }).transcribe(
    { ...sound, language: 'jv' },
    call,
  )
  t.equal(language, 'en', 'what the engine says of itself')
  t.strictSame(await whisper(tools, { program: asked, model: at('no such') }).abilities(), {
    languages: ['en'],
    detects: false,
  })
})

t.test('names and codes of languages are read, and others are not', async (t) => {
  const expected = {
    german: 'de',
    German: 'de',
    'haitian creole': 'ht',
    myanmar: 'my',
    zh_CN: 'zh-CN',
    PT: 'pt',
    jw: 'jv',
    tl: 'fil',
    iw: 'he',
  }
  for (const [given, language] of Object.entries(expected)) t.equal(readLanguage(given), language, given)
  for (const given of ['', 'auto', 'unknown', 'x', '../en', null, undefined])
    t.equal(readLanguage(given), null, `${given}`)
  t.equal(new Set(whisperLanguages).size, whisperLanguages.length)
  for (const language of whisperLanguages) t.equal(readLanguage(whisperCode(language)), language)
})

t.test('an engine that dies or writes nonsense is tried again; one that is not there is not', async (t) => {
  const model = at('model.bin')
  const killed = whisper(tools, { program: await program('killed', 'kill -9 $$'), model })
  await t.rejects(killed.transcribe(sound, call), { name: 'TransientEngineError', code: 'killed' })
  const silent = whisper(tools, { program: await program('silent', 'true'), model })
  await t.rejects(silent.transcribe(sound, call), { name: 'TransientEngineError', code: 'failed' })
  const broken = whisper(tools, { program: await program('broken', 'echo no such tensor >&2; exit 1'), model })
  await t.rejects(
    broken.transcribe(sound, call),
    new TransientEngineError('failed', 'whisper.cpp failed: no such tensor'),
  )
  const complaint = "error: failed to read audio file 's.wav'"
  const unread = await program('unread', `echo "${complaint}" >&2; seq -f 'timings: %g ms' 9 >&2`)
  const message = `whisper.cpp returned no words: ${complaint}`
  await t.rejects(whisper(tools, { program: unread, model }).transcribe(sound, call), { code: 'failed', message })
  for (const files of [
    { program: at('good'), model: undefined },
    { program: undefined, model },
    { program: at('good'), model: at('nothing') },
    { program: at('nothing'), model },
  ]) {
    await t.rejects(whisper(tools, files).check(), { name: 'TranscriptionError', code: 'no_engine' })
  }
  await t.rejects(pocketsphinx(tools, at('nothing')).check(), TranscriptionError)
})

t.test('an engine that does not end is ended: by its signal, and by its time', async (t) => {
  const endless = whisper(tools, {
    program: await program('endless', `touch ${at('begun')}; trap '' TERM; while :; do read -t 60 <><(:); done`),
    model: at('model.bin'),
  })
  await t.rejects(endless.transcribe(sound, { ...call, timeout: 200 }), {
    name: 'TransientEngineError',
    code: 'timeout',
  })
  const abort = new AbortController()
  const run = endless.transcribe(sound, { signal: abort.signal })
  await until(() => access(at('begun')).then(() => true))
  abort.abort(new Error('cancelled'))
  await t.rejects(run, { message: 'cancelled' })
})

t.test('a service’s words are spelt as in its text, and placed in its segments where it tells no words', async (t) => {
  const read = (answer: object) => wordsOf(VerboseJson.parse(answer), 4)
  const words = ['so', 'dont', 'uh', 'go'].map((word, i) => ({ word, start: i, end: i + 0.5 }))
  t.strictSame(
    read({ text: 'So — don’t, go!', words }).map(({ text }) => text),
    ['So', 'don’t,', 'uh', 'go!'],
  )
  t.strictSame(read({ text: 'a', words: null, segments: [{ text: ' ab cd', start: 1, end: 3, id: 0 }] }), [
    { text: 'ab', from: 1, to: 2 },
    { text: 'cd', from: 2, to: 3 },
  ])
  t.strictSame(read({ text: 'all of it' }).at(-1), { text: 'it', from: 20 / 7, to: 4 })
  t.strictSame(read({ text: '' }), [])
})

t.test(
  'replies of servers that are partly compatible with OpenAI are read, and other replies are rejected',
  async (t) => {
    const read = (answer: object) => wordsOf(VerboseJson.parse(answer), 4)
    // whisper-server tells tokens within its segments, and an aside that nobody says.
    const token = (word: string, start: number, end: number) => ({ word, start, end, t_dtw: -1, probability: 1 })
    const tokens = [token(' every', 0.8, 1.2), token('one', 1.34, 1.5), token('.', 1.5, 1.8)]
    const aside = [token(' [', 2, 2.2), token('BLANK', 2.2, 2.3), token('_AUDIO', 2.3, 2.4), token(']', 2.4, 2.5)]
    const segments = [
      { id: 0, text: ' Dear everyone.', start: 0.5, end: 1.8, words: [token(' Dear', 0.5, 0.8), ...tokens] },
      { id: 1, text: ' [BLANK_AUDIO]', start: 2, end: 2.5, words: aside },
      { id: 2, text: ' Go.', start: 3, end: 4, words: null },
    ]
    t.strictSame(read({ task: 'transcribe', text: ' Dear everyone.\n [BLANK_AUDIO]\n Go.\n', segments }), [
      { text: 'Dear', from: 0.5, to: 0.8 },
      { text: 'everyone.', from: 0.8, to: 1.8 },
      { text: 'Go.', from: 3, to: 4 },
    ])
    // Started with --no-timestamps it tells none at all.
    const untimed = [{ id: 0, text: ' Go on', words: [{ word: ' Go' }, { word: ' on' }] }]
    t.strictSame(read({ text: ' Go on\n', segments: untimed }), [
      { text: 'Go', from: 0, to: 2 },
      { text: 'on', from: 2, to: 4 },
    ])
    // LocalAI counts in nanoseconds and knows no words; speaches tells words with their spaces, and empty segments.
    t.strictSame(
      read({ text: 'Go', segments: [{ id: 0, start: 1_500_000_000, end: 2e9, text: ' Go', tokens: [1] }] }),
      [{ text: 'Go', from: 1.5, to: 2 }],
    )
    t.strictSame(read({ text: 'Go on', segments: [], words: [token(' Go', 1, 2), token(' on', 2, 3)] }), [
      { text: 'Go', from: 1, to: 2 },
      { text: 'on', from: 2, to: 3 },
    ])
    for (const answer of [{ error: 'no model is loaded' }, {}, [], 'text']) {
      t.throws(() => VerboseJson.parse(answer), JSON.stringify(answer))
    }
  },
)

t.test('sound is cut where it is quiet, to the sample, and silence is known as such', async (t) => {
  // A tone with a gap of half a second at 8.5 s, in a package's own kind of file.
  const gap = 'sine=d=12:r=48000,volume=0:enable=between(t\\,8.5\\,9)'
  await ffmpeg('-f', 'lavfi', '-i', gap, '-ac', '2', '-c:a', 'aac', at('tone.mp4'))
  await mkdir(at('out'))
  const cut = (more: object) =>
    engine.cutSpeech({ sound: at('tone.mp4'), skip: 0, most: 10, whole: false, folder: at('out'), ...more }, call)
  const first = await cut({})
  t.ok(first.seconds > 8.6 && first.seconds < 8.95 && !first.silent, `${first.seconds}`)
  await copyFile(first.path, at('first.wav'))
  const rest = await cut({ skip: first.seconds, most: 12 - first.seconds, whole: true })
  t.ok(Math.abs(first.seconds + rest.seconds - 12) < 1e-6)
  const pcm = async (path: string) => await ffmpeg('-i', path, '-f', 's16le', '-')
  const samples = (await pcm(at('first.wav'))).length + (await pcm(rest.path)).length
  t.ok(Math.abs(samples / 2 - 12 * 16_000) < 1_600, 'nothing is lost between the two')
  t.ok((await cut({ skip: 8.6, most: 0.3, whole: true })).silent)
})
