import type { Speech } from '#tasks/video/speech.ts'
import type { Sandbox } from '../sandbox.ts'
import { pocketsphinx } from './pocketsphinx.ts'
import { type SpeechService, speechService } from './service.ts'
import { type MaybeWhisperFiles, whisper } from './whisper.ts'

/** Which speech engines there may be; the first that is configured is used. */
export interface SpeechOptions {
  service: SpeechService | undefined
  whisper: MaybeWhisperFiles
  pocketsphinxPath: string
}

/** Makes the speech engine: a service if one is named, else whisper.cpp if it is, else pocketsphinx. */
export function createSpeech(sandbox: Sandbox, { service, whisper: files, pocketsphinxPath }: SpeechOptions): Speech {
  if (service) return speechService(service)
  if (files.program || files.model) return whisper(sandbox, files)
  return pocketsphinx(sandbox, pocketsphinxPath)
}
