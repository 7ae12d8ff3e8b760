import { TransientEngineError } from '#lib/engine-trouble.ts'
import type { EngineCall } from '#tasks/video/engine.ts'
import { type Speech, TranscriptionError, type Word } from '#tasks/video/rules/captions/speech.ts'
import { missingPrograms } from '../../sandbox/programs.ts'
import type { MediaTools } from '../media-tools.ts'

/**
 * Format of a line: `word from to confidence`, with times in seconds. `good(2)` is the second pronunciation of `good`.
 */
const line = /^(\S+) (\d+\.\d+) (\d+\.\d+) \d+\.\d+$/
const filler = /^(<.*>|\[.*\]|\+\+.*\+\+)$/
const spelling = (word: string) => word.replace(/\(\d+\)$/, '').replace(/^i(?=$|')/, 'I')

function readWord(text: string): Word | undefined {
  const [, word = '', from, to] = line.exec(text) ?? []
  return word === '' || filler.test(word) ? undefined : { text: spelling(word), from: Number(from), to: Number(to) }
}

/** Creates the engine that Debian packages. It is small and fast, but its words are only good enough for a search. */
export function pocketsphinx(tools: MediaTools, program: string): Speech {
  return {
    name: 'pocketsphinx',
    stretch: 60,
    abilities: async () => ({ languages: ['en'], detects: false }),
    async check() {
      const [missing] = await missingPrograms({ POCKETSPHINX_PATH: program })
      if (missing) throw new TranscriptionError('no_engine', `${missing} is not installed`)
    },
    async transcribe({ path, seconds }, call: EngineCall) {
      const words: Word[] = []
      const run = await tools.plain('pocketsphinx', [program, '-infile', path, '-time', 'yes'], {
        call,
        timeout: 60_000 + seconds * 20_000,
        onOutput: (text) => {
          const word = readWord(text)
          if (word) words.push(word)
        },
      })
      if (!run.ok) throw new TransientEngineError('failed', `pocketsphinx failed: ${run.messages.slice(-5).join('; ')}`)
      return { words, language: 'en' }
    },
  }
}
