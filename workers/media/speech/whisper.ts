import { access, constants, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { TransientEngineError } from '#lib/engine-trouble.ts'
import { readLanguage, whisperCode, whisperLanguages } from '#tasks/video/rules/captions/languages.ts'
import { type Speech, TranscriptionError, type Word } from '#tasks/video/rules/captions/speech.ts'
import { missingPrograms } from '../../sandbox/programs.ts'
import type { MediaTools } from '../media-tools.ts'
import { joinPieces, removeAsides } from './pieces.ts'

interface WhisperFiles {
  program: string
  model: string
}

type WhisperSettings = { [Name in keyof WhisperFiles]: string | undefined }

const Answer = z.object({
  result: z.object({ language: z.string().max(100).nullish().catch(null) }).nullish(),
  transcription: z.array(z.object({ text: z.string(), offsets: z.object({ from: z.number(), to: z.number() }) })),
})

/** Maximum memory in bytes. The largest model needs 4 GB. */
const memoryBytes = 8 * 2 ** 30

/** Maximum gap in seconds between segments that are parts of one word. */
const gap = 0.05

function wordsOf({ transcription }: z.infer<typeof Answer>): Word[] {
  const pieces = transcription.map(({ text, offsets: { from, to } }) => ({ text, from: from / 1000, to: to / 1000 }))
  return removeAsides(joinPieces(pieces, gap))
}

function complaint(messages: readonly string[]): string {
  const complaints = messages.filter((line) => /error|failed/i.test(line))
  return (complaints.length > 0 ? complaints : messages).slice(-5).join('; ')
}

async function checkFiles({ program, model }: WhisperSettings): Promise<WhisperFiles> {
  if (!program || !model) throw new TranscriptionError('no_engine', 'WHISPER_PATH and WHISPER_MODEL must both be set')
  const [missing] = await missingPrograms({ WHISPER_PATH: program })
  if (missing) throw new TranscriptionError('no_engine', `${missing} is not installed`)
  await access(model, constants.R_OK).catch(() => {
    throw new TranscriptionError('no_engine', `WHISPER_MODEL: ${model} cannot be read`)
  })
  return { program, model }
}

/** Number of tokens of the first multilingual model. Models with fewer tokens know only English. */
const multilingualTokens = 51_865

/** Reads the number of tokens in the header of a model: a magic number of 4 bytes, then the number. */
async function isEnglishOnly(model: string | undefined): Promise<boolean> {
  if (!model) return true
  const header = Buffer.alloc(8)
  try {
    await using file = await open(model)
    const { bytesRead } = await file.read(header, 0, header.length, 0)
    return (
      bytesRead === header.length && header.readUInt32LE(0) === 0x67676d6c && header.readInt32LE(4) < multilingualTokens
    )
  } catch {
    return true
  }
}

export function whisper(tools: MediaTools, files: WhisperSettings): Speech {
  return {
    name: 'whisper.cpp',
    stretch: 120,
    abilities: async () =>
      (await isEnglishOnly(files.model))
        ? { languages: ['en'], detects: false }
        : { languages: whisperLanguages, detects: true },
    async check() {
      await checkFiles(files)
    },
    async transcribe({ path, seconds, folder, language }, call) {
      const { program, model } = await checkFiles(files)
      const code = language === null ? 'auto' : whisperCode(language)
      const output = join(folder, 'whisper')
      await rm(`${output}.json`, { force: true })
      const args = ['-m', model, '-f', path, '-l', code, '-t', String(tools.threads), '-oj', '-of', output]
      // Requests segments of one word each. They are split at words instead of tokens, so that each word has its own
      // time.
      const run = await tools.plain('whisper', [program, ...args, '-ml', '1', '-sow'], {
        call,
        timeout: 120_000 + seconds * 20_000,
        memoryBytes,
      })
      if (!run.ok) throw new TransientEngineError('failed', `whisper.cpp failed: ${complaint(run.messages)}`)
      const text = await readFile(`${output}.json`, 'utf8').catch(() => '')
      const answer = Answer.safeParse(parse(text))
      if (!answer.success)
        throw new TransientEngineError('failed', `whisper.cpp returned no words: ${complaint(run.messages)}`)
      return { words: wordsOf(answer.data), language: readLanguage(answer.data.result?.language) ?? language }
    },
  }
}

/** Parses whisper's JSON, in which tabs and line ends of words are not escaped. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/\p{Cc}/gu, ' '))
  } catch {
    return undefined
  }
}
