import { join } from 'node:path'
import type { Tools } from '../../pools.ts'
import type { Attempt } from '../../queue/task.ts'
import type { Word } from '../../video/rules/captions/speech.ts'
import { MediaFault } from '../../video/rules/transcode/media-fault.ts'
import { mostSeconds, type Transcript, tokensPerSecond } from './transcript.ts'

type Means = Pick<Tools['media'], 'media' | 'speech'> & Pick<Attempt, 'signal'>

export interface AudioFile {
  path: string
  seconds: number
  folder: string
}

/** Maximum length of a remainder that is transcribed in one call, in pieces. */
const rest = 1.2

/** Prepares an untrusted file. Throws a `MediaFault` if it has no audio or is too long. */
export async function openAudio(source: string, folder: string, { media, signal }: Means): Promise<AudioFile> {
  const mezzanine = await media.mezzanine({ source, folder }, { signal })
  if (!mezzanine.probe.audio) throw new MediaFault('no_audio')
  const { path, seconds } = mezzanine
  if (seconds > mostSeconds) {
    throw new MediaFault('too_long', '', `The audio has ${Math.ceil(seconds)} seconds. The maximum is ${mostSeconds}.`)
  }
  return { path, seconds, folder }
}

/** Transcribes a file piece by piece. Each piece ends in silence, so that no word is cut. */
export async function transcribeFile(
  { path: sound, seconds, folder }: AudioFile,
  asked: string | null,
  { media, speech, signal }: Means,
): Promise<Transcript> {
  await speech.check()
  const words: Word[] = []
  let language = asked
  for (let from = 0; from < seconds; ) {
    const isLast = seconds - from <= speech.stretch * rest
    const most = isLast ? seconds - from : speech.stretch
    const piece = await media.cutSpeech({ sound, skip: from, most, whole: isLast, folder }, { signal })
    if (!piece.silent) {
      const input = { path: piece.path, seconds: piece.seconds, folder, language }
      const heard = await speech.transcribe(input, { signal })
      const when = (at: number) => from + Math.min(at, piece.seconds)
      words.push(...heard.words.map(({ text, from: start, to }) => ({ text, from: when(start), to: when(to) })))
      language ??= heard.language
    }
    from = isLast ? seconds : from + piece.seconds
  }
  const prompt_tokens = Math.ceil(seconds * tokensPerSecond)
  const audio_ms = Math.ceil(seconds * 1000)
  const usage = { prompt_tokens, completion_tokens: 0, total_tokens: prompt_tokens, audio_ms }
  return { engine: 'embedded', model: speech.name, usage, seconds, words, language: language ?? null }
}

export const sourceIn = (folder: string): string => join(folder, 'upload')
