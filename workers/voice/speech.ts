import { spawn } from 'node:child_process'
import { buffer } from 'node:stream/consumers'
import type { Speech } from '#sql/voice/calls.ts'

/** espeak-ng's voices by language. Other languages are spoken in English. */
const voices: Readonly<Record<string, string>> = {
  en: 'en-gb',
  de: 'de',
  es: 'es',
  et: 'et',
  fr: 'fr-fr',
  ru: 'ru',
}

const [wordsPerMinute, timeoutMs] = [130, 10_000]

/** Samples per second on the telephone (G.711). */
export const sampleRate = 8_000

/** Speaks a text and its digits twice. Returns 16-bit samples for a telephone. */
export async function speak({ language, intro, digits }: Speech, signal: AbortSignal): Promise<Int16Array> {
  const sentence = `${intro}: ${[...digits].join(', ')}.\n`
  const wave = await runVoice(voices[language] ?? 'en-gb', `${sentence}\n\n${sentence}`, signal)
  return resample(readWave(wave))
}

/** The text goes through a pipe, so it cannot be an option of the program. */
async function runVoice(voice: string, text: string, signal: AbortSignal): Promise<Buffer> {
  const ends = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const options = ['-v', voice, '-s', String(wordsPerMinute), '-g', '4', '-b', '1', '--stdin', '--stdout']
  const child = spawn('espeak-ng', options, { stdio: ['pipe', 'pipe', 'ignore'], signal: ends, killSignal: 'SIGKILL' })
  const failed = new Promise<never>((_, reject) => child.once('error', reject))
  child.stdin.on('error', () => {})
  child.stdin.end(text)
  return await Promise.race([buffer(child.stdout), failed])
}

interface Wave {
  rate: number
  samples: Int16Array
}

/** Reads 16-bit mono audio. The length in the header is not used, because a pipe has no length. */
function readWave(bytes: Buffer): Wave {
  const at = bytes.indexOf('data')
  if (at < 28 || bytes.toString('latin1', 0, 4) !== 'RIFF') throw new Error('espeak-ng returned no audio.')
  const body = bytes.subarray(at + 8, bytes.length - ((bytes.length - at - 8) % 2))
  const samples = Int16Array.from({ length: body.length / 2 }, (_, i) => body.readInt16LE(i * 2))
  return { rate: bytes.readUInt32LE(24), samples }
}

/** Returns the audio at the rate of a telephone. Each sample is the mean of the samples that it replaces. */
function resample({ rate, samples }: Wave): Int16Array {
  const step = rate / sampleRate
  return Int16Array.from({ length: Math.floor(samples.length / step) }, (_, i) => {
    const part = samples.subarray(Math.floor(i * step), Math.max(Math.floor(i * step) + 1, Math.floor((i + 1) * step)))
    return part.reduce((sum, sample) => sum + sample, 0) / part.length
  })
}
