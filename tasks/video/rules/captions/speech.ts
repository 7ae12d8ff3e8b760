import type { Word } from '#sql/video/captions.ts'
import type { EngineCall } from '../../engine.ts'

export type { Word } from '#sql/video/captions.ts'

/**
 * A speech engine: a service, or a program on the worker. A call rejects with `signal.reason` if its signal aborts,
 * with a `TranscriptionError` if a retry is useless, with an `TransientEngineError` if it may work later.
 */
export interface Speech {
  readonly name: string
  /** Maximum seconds of audio per call. This is the work lost with a killed worker, and the length of a turn. */
  readonly stretch: number
  /** Throws a `TranscriptionError` if the engine cannot work on this machine as configured. */
  check(): Promise<void>
  /** Returns the words of a WAV file (16 kHz, mono, 16 bits) in order, with times in seconds from its start. */
  transcribe(
    input: { path: string; seconds: number; folder: string; language: string },
    call: EngineCall,
  ): Promise<Word[]>
}

export type SpeechFaultCode = 'no_sound' | 'no_engine' | 'engine_refused'

const sentences: Record<SpeechFaultCode, string> = {
  no_sound: 'The video has no audio, so there is nothing to transcribe.',
  no_engine:
    'This server has no transcription engine. Ask its operator to set one up, then request the captions again.',
  engine_refused:
    'The transcription service rejected the request. Ask the operator of this server to check its settings.',
}

/** Captions that cannot be created. A retry is useless; `message` is for the asset's owner. */
export class TranscriptionError extends Error {
  override name = 'TranscriptionError'
  readonly code: SpeechFaultCode
  /** Technical reason, only for the log. Contains no secrets. */
  readonly evidence: string

  constructor(code: SpeechFaultCode, evidence = '') {
    super(sentences[code])
    this.code = code
    this.evidence = evidence
  }
}

/** True for a `TranscriptionError`, also if it was restored from a job (tasks/queue/error-record.ts). */
export const isSpeechFault = (error: unknown): error is TranscriptionError =>
  error instanceof Error && error.name === 'TranscriptionError' && 'code' in error
