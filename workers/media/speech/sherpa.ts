import { createRequire } from 'node:module'
import { join } from 'node:path'
import { z } from 'zod'
import { TransientEngineError } from '#lib/engine-trouble.ts'
import { readLanguage, whisperCode } from '#tasks/video/rules/captions/languages.ts'
import { type Speech, TranscriptionError, type Word } from '#tasks/video/rules/captions/speech.ts'
import type { MediaTools } from '../media-tools.ts'
import { findInstalled } from './models/installed.ts'
import { detectsLanguage, type SpeechModel } from './models/model.ts'
import { joinPieces, removeAsides } from './pieces.ts'
import type { SherpaOrder } from './sherpa-program.ts'
import { spread } from './verbose-json.ts'

const program = join(import.meta.dirname, 'sherpa-program.ts')
const library = 'sherpa-onnx-node'
const heading = 'heard '

/** Maximum memory in bytes. The largest model of the catalogue needs 2 GB. */
const memoryBytes = 6 * 2 ** 30

/** Maximum length in seconds of a word whose end the engine does not return. */
const longestWord = 0.6

const Answer = z.object({
  text: z.string(),
  lang: z.string().max(100).catch(''),
  tokens: z.array(z.string()).catch([]),
  timestamps: z.array(z.number()).catch([]),
  segment_texts: z.array(z.string()).catch([]),
  segment_timestamps: z.array(z.number()).catch([]),
  segment_durations: z.array(z.number()).catch([]),
})

type Answer = z.infer<typeof Answer>

/** Returns the words of an answer with the most exact times that the model returned. */
function wordsOf(answer: Answer, seconds: number): Word[] {
  const { tokens, timestamps, segment_texts: texts, segment_timestamps: starts, segment_durations: lengths } = answer
  if (tokens.length > 0 && timestamps.length === tokens.length) {
    const end = (i: number) => Math.min(timestamps[i + 1] ?? seconds, (timestamps[i] as number) + longestWord)
    return joinPieces(tokens.map((text, i) => ({ text, from: timestamps[i] as number, to: end(i) })))
  }
  if (texts.length > 0 && starts.length === texts.length)
    return texts.flatMap((text, i) => spread(text, starts[i] as number, (starts[i] as number) + (lengths[i] ?? 0)))
  return spread(answer.text, 0, seconds)
}

function isInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve(library)
    return true
  } catch {
    return false
  }
}

async function demandModel({ folder, model: name }: SherpaSettings): Promise<SpeechModel> {
  if (!isInstalled()) throw new TranscriptionError('no_engine', `the package ${library} is not installed`)
  const model = await findInstalled(folder, name)
  if (!model)
    throw new TranscriptionError('no_engine', `SPEECH_MODEL: run \`npx millrace models add ${name}\` on this host`)
  return model
}

export interface SherpaSettings {
  folder: string
  /** Name of an installed model. */
  model: string
}

/** Creates the engine that runs ONNX models in a process of its own, within the sandbox. */
export function sherpa(tools: MediaTools, settings: SherpaSettings): Speech {
  return {
    name: `sherpa-onnx ${settings.model}`,
    // Whisper models hear up to 30 s.
    stretch: 28,
    async abilities() {
      const model = await findInstalled(settings.folder, settings.model)
      return { languages: model?.languages ?? [], detects: model !== null && detectsLanguage(model) }
    },
    async check() {
      await demandModel(settings)
    },
    async transcribe({ path, seconds, language }, call) {
      const model = await demandModel(settings)
      const order: SherpaOrder = {
        kind: model.kind,
        files: Object.fromEntries(
          Object.entries(model.files).map(([role, file]) => [role, join(settings.folder, model.name, file)]),
        ),
        language: language === null ? '' : whisperCode(language),
        threads: tools.threads,
        sound: path,
      }
      let heard = ''
      const run = await tools.plain('sherpa-onnx', [process.execPath, program, JSON.stringify(order)], {
        call,
        timeout: 120_000 + seconds * 20_000,
        memoryBytes,
        onOutput: (line) => {
          if (line.startsWith(heading)) heard = line.slice(heading.length)
        },
      })
      if (!run.ok) throw new TransientEngineError('failed', `sherpa-onnx failed: ${run.messages.slice(-5).join('; ')}`)
      const answer = Answer.safeParse(parse(heard))
      if (!answer.success) throw new TransientEngineError('failed', 'sherpa-onnx returned no words')
      return {
        words: removeAsides(wordsOf(answer.data, seconds)),
        language: readLanguage(answer.data.lang) ?? language,
      }
    },
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
