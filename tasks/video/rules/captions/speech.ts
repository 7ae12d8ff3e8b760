import type { Word } from '#sql/video/captions.ts'
import type { EngineCall } from '../../engine.ts'

export type { Word } from '#sql/video/captions.ts'

/**
 * What turns speech into words: a service, or a program of the worker's machine. A call ends early with `signal.reason` when
 * its signal aborts, with a `SpeechFault` when trying again is pointless, with an `EngineTrouble` when it may work later.
 */
export interface Speech {
  /** Which engine it is, for the log and the row. */
  readonly name: string
  /** Seconds of sound that it is given at once at most: what a killed worker loses, and what a turn takes. */
  readonly stretch: number
  /** Throws a `SpeechFault` when it cannot work on this machine as it is configured. */
  check(): Promise<void>
  /** The words of a WAV file (16 kHz, mono, 16 bits) in the order they are said, times in seconds from its start. */
  transcribe(
    input: { path: string; seconds: number; folder: string; language: string },
    call: EngineCall,
  ): Promise<Word[]>
}

/** Why captions can never be made as things are, for machines. */
export type SpeechFaultCode = 'no_sound' | 'no_engine' | 'engine_refused'

const sentences: Record<SpeechFaultCode, string> = {
  no_sound: 'The video has no audio, so there is nothing to transcribe.',
  no_engine:
    'This server has no transcription engine. Ask its operator to set one up, then request the captions again.',
  engine_refused:
    'The transcription service rejected the request. Ask the operator of this server to check its settings.',
}

/** Captions that cannot be made: trying again is pointless; `message` is plain English for the asset's owner. */
export class SpeechFault extends Error {
  override name = 'SpeechFault'
  readonly code: SpeechFaultCode
  /** What was wrong, for the log only; it holds no secret. */
  readonly evidence: string

  constructor(code: SpeechFaultCode, evidence = '') {
    super(sentences[code])
    this.code = code
    this.evidence = evidence
  }
}

/** Whether an error is a `SpeechFault`, be it one that a job has carried (tasks/queue/error-record.ts). */
export const isSpeechFault = (error: unknown): error is SpeechFault =>
  error instanceof Error && error.name === 'SpeechFault' && 'code' in error
