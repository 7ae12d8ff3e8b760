import { Cancelled, hostFaultCode, Permanent, Rejected } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as captions from '#sql/video/captions.ts'
import type { ReviveTools } from '../../../queue/task.ts'
import { isMediaFault, MediaFault } from '../transcode/media-fault.ts'
import { isSpeechFault, TranscriptionError } from './speech.ts'

const ourFault = 'An internal error occurred during the transcription. Request the captions again.'
const tooSlow = 'The transcription did not finish in time. Request the captions again.'
const wasCancelled = 'The transcription was cancelled. Request the captions again.'

export async function runSpeechStep<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TranscriptionError || error instanceof MediaFault) {
      const End = error instanceof MediaFault || isOfVideo(error) ? Rejected : Permanent
      throw new End(`${error.code}: ${error.evidence || error.message}`, { cause: error })
    }
    throw error
  }
}

/** True if the video is the reason, and not the engine. */
const isOfVideo = ({ code }: TranscriptionError): boolean => code === 'no_sound' || code === 'language_exists'

export async function failCaptions(
  { captionsId }: { captionsId: string },
  error: Error,
  { db }: { db: DatabasePool },
): Promise<void> {
  const { code, summary } = why(error)
  await captions.fail(db, captionsId, code, summary)
}

function why(error: Error): { code: string; summary: string } {
  const { cause } = error
  if (isSpeechFault(cause) || isMediaFault(cause)) return { code: cause.code, summary: cause.message }
  if (error instanceof Cancelled) return { code: 'cancelled', summary: wasCancelled }
  if (error.name === 'TransientEngineError' && 'code' in error && error.code === 'timeout')
    return { code: 'timeout', summary: tooSlow }
  return { code: hostFaultCode(error) ?? 'internal', summary: ourFault }
}

export async function reviveCaptions({ captionsId }: { captionsId: string }, { db }: ReviveTools): Promise<void> {
  if (await captions.revive(db, captionsId)) return
  if (!(await captions.findWork(db, captionsId)))
    throw new Permanent('The captions are ready, or their asset was deleted.')
}
