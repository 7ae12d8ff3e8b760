import type { Word } from '#sql/video/captions.ts'
import type { EngineCall } from '../../engine.ts'

export type { Word } from '#sql/video/captions.ts'

/**
 * A speech engine: a service, or a program on the worker. A call rejects with `signal.reason` if its signal aborts,
 * with a `TranscriptionError` if a retry cannot work, and with a `TransientEngineError` if a retry may work.
 */
export interface Speech {
  readonly name: string
  /**
   * Maximum length of audio per call in seconds. If a worker is killed, this work is lost. It is also the length of a
   * turn.
   */
  readonly stretch: number
  /** Returns the languages that the engine knows (BCP 47), and whether it detects the spoken language. */
  abilities(): Promise<{ languages: readonly string[]; detects: boolean }>
  /** Throws a `TranscriptionError` if the engine cannot work on this machine as configured. */
  check(): Promise<void>
  /**
   * Returns the words of a WAV file (16 kHz, mono, 16 bits) in order, with times in seconds from its start. Detects the
   * language if it is `null`.
   */
  transcribe(
    input: { path: string; seconds: number; folder: string; language: string | null },
    call: EngineCall,
  ): Promise<Heard>
}

export interface Heard {
  words: Word[]
  /** Language that the engine detected or was given (BCP 47); `null` if it returned none. */
  language: string | null
}

export type SpeechFaultCode = 'no_sound' | 'no_engine' | 'engine_refused' | 'no_language' | 'language_exists'

const sentences: Record<SpeechFaultCode, string> = {
  no_sound: 'The video has no audio, so there is nothing to transcribe.',
  no_engine:
    'This server has no transcription engine. Ask its operator to set one up, then request the captions again.',
  no_language: 'The transcription engine did not return the language. Request the captions in one language.',
  language_exists:
    'The video already has captions in the detected language. Delete them, then request the captions again.',
  engine_refused:
    'The transcription service rejected the request. Ask the operator of this server to check its settings.',
}

/** Thrown if captions cannot be created and a retry cannot work. `message` is for the asset’s owner. */
export class TranscriptionError extends Error {
  override name = 'TranscriptionError'
  readonly code: SpeechFaultCode
  /** Technical reason for the log only. Contains no secrets. */
  readonly evidence: string

  constructor(code: SpeechFaultCode, evidence = '') {
    super(sentences[code])
    this.code = code
    this.evidence = evidence
  }
}

/** True for a `TranscriptionError`, even if it was restored from a job (tasks/queue/error-record.ts). */
export const isSpeechFault = (error: unknown): error is TranscriptionError =>
  error instanceof Error && error.name === 'TranscriptionError' && 'code' in error
