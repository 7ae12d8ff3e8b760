import type { Tools } from '../../../pools.ts'
import type { Attempt } from '../../../queue/task.ts'
import { fetchSound, type PackageSound } from './package-sound.ts'
import type { Word } from './speech.ts'

export interface TranscribedSpan {
  from: number
  to: number
  words: Word[]
  /** Detected or requested language; `null` if the piece is silent or the engine returned none. */
  language: string | null
}

/** Maximum length of a remainder that is transcribed in one call, in pieces. */
const rest = 1.2

/** Transcribes the piece that starts at `from`. The piece ends in silence, so that no word is cut. */
export async function transcribePiece(
  { sound, from, language }: { sound: PackageSound; from: number; language: string | null },
  { media, speech, scratch, storage, signal }: Tools['media'] & Pick<Attempt, 'signal'>,
): Promise<TranscribedSpan> {
  const last = sound.seconds - from <= speech.stretch * rest
  const most = last ? sound.seconds - from : speech.stretch
  await using folder = await scratch.attempt()
  const { path, start } = await fetchSound(sound, { from, to: from + most }, folder.path, storage, signal)
  const input = { sound: path, skip: from - start, most, whole: last, folder: folder.path }
  const stretch = await media.cutSpeech(input, { signal })
  const heard = { from, to: last ? sound.seconds : from + stretch.seconds }
  if (stretch.silent) return { ...heard, words: [], language: null }
  const { seconds } = stretch
  const said = await speech.transcribe({ path: stretch.path, seconds, folder: folder.path, language }, { signal })
  // whisper.cpp ends the last word 30 s after the start of its window, even if the audio is shorter.
  const when = (at: number) => from + Math.min(at, seconds)
  const words = said.words.map(({ text, from: at, to }) => ({ text, from: when(at), to: when(to) }))
  return { ...heard, words, language: said.language }
}
