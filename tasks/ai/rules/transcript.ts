import type { Word } from '../../video/rules/captions/speech.ts'
import type { EngineResult } from './engine-result.ts'

/** Maximum length of the audio in seconds. Longer audio would not be ready while the client waits. */
export const mostSeconds = 1_800

/** Number of tokens that a second of audio costs. */
export const tokensPerSecond = 10

export interface Transcript extends EngineResult {
  /** Length of the audio in seconds. */
  seconds: number
  words: Word[]
  /** Detected or requested language (BCP 47). `null` if the engine returned none. */
  language: string | null
}

/** Why audio cannot be transcribed, if the request or the configuration is the cause. */
export interface AudioFault {
  code: 'invalid_audio' | 'audio_too_long' | 'not_configured'
  message: string
}
