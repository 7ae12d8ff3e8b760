import { appendFile } from 'node:fs/promises'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as audio from '#sql/ai/audio.ts'
import type { DatabasePool } from '#sql/db.ts'
import { task } from '../queue/task.ts'
import { isSpeechFault, TranscriptionError } from '../video/rules/captions/speech.ts'
import { isMediaFault } from '../video/rules/transcode/media-fault.ts'
import { type Outcome, runCharged } from './rules/charged.ts'
import { completionTimeoutMs } from './rules/request.ts'
import { openAudio, sourceIn, transcribeFile } from './rules/transcribe-file.ts'
import { type AudioFault, type Transcript, tokensPerSecond } from './rules/transcript.ts'
import { withoutModel } from './rules/without-model.ts'

/** Disk space of a file in bytes: the upload, its copy, and the audio of a piece. */
const roomBytes = 128 * 2 ** 20

/** Transcribes an uploaded file with the speech engine of captions. The request waits for the answer. */
export const transcribeAudio = task({
  name: 'ai/transcribe-audio',
  pool: 'media',
  payload: z.object({ orgId: Id, keyId: Id.optional(), audioId: Id, language: z.string().nullable() }),
  attempts: 2,
  timeout: completionTimeoutMs,
  tracked: true,
  async run({ orgId, keyId, audioId, language }, tools): Promise<Outcome<Transcript> | { fault: AudioFault }> {
    await using folder = await tools.scratch.attempt(roomBytes)
    const source = sourceIn(folder.path)
    await writeParts(tools.db, audioId, source)
    try {
      const file = await openAudio(source, folder.path, tools)
      const request = { audioMs: Math.ceil(file.seconds * 1000), maxTokens: Math.ceil(file.seconds * tokensPerSecond) }
      const { db, signal, own, log } = tools
      const means = { db, signal, own, log, llm: { ...withoutModel, modelsFor: () => [tools.speech.name] } }
      const work = () => transcribeFile(file, language, tools)
      return await runCharged('transcription', orgId, means, work, request, { keyId, subject: audioId })
    } catch (error) {
      const fault = toFault(error)
      if (fault) return { fault }
      throw error
    }
  },
})

async function writeParts(db: DatabasePool, id: string, path: string): Promise<void> {
  for (let n = 0; ; n++) {
    const data = await audio.findPart(db, id, n)
    if (data === null) return
    await appendFile(path, data)
  }
}

function toFault(error: unknown): AudioFault | undefined {
  if (isMediaFault(error)) {
    return { code: error.code === 'too_long' ? 'audio_too_long' : 'invalid_audio', message: error.message }
  }
  if (!isSpeechFault(error)) return undefined
  return { code: 'not_configured', message: new TranscriptionError('no_engine').message }
}
