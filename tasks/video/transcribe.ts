import { z } from 'zod'
import { Later } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Storage } from '#lib/storage/storage.ts'
import * as captions from '#sql/video/captions.ts'
import type { Tools } from '../pools.ts'
import { type Attempt, task } from '../queue/task.ts'
import { emit } from '../webhooks/rules/emit.ts'
import { createCues } from './rules/captions/cues.ts'
import { failCaptions, reviveCaptions, runSpeechStep } from './rules/captions/failure.ts'
import { detectLanguage, noLanguage } from './rules/captions/languages.ts'
import { transcribePiece } from './rules/captions/listen.ts'
import { findSound, type PackageSound } from './rules/captions/package-sound.ts'
import { TranscriptionError } from './rules/captions/speech.ts'
import { storeCues } from './rules/captions/store-cues.ts'
import { cuesOfWords } from './rules/captions/transcript.ts'
import { writeWebvtt } from './rules/captions/webvtt.ts'

/**
 * Time in milliseconds after which a job reschedules itself between pieces, so that a long video does not block other
 * encoding.
 */
const sliceMs = 60_000

/** Captions can be created again, so caches keep them only for an hour. */
const cacheControl = 'public, max-age=3600'

/**
 * Transcribes an asset piece by piece and writes its captions. Each piece is stored. So a lost worker costs only one
 * piece, and the use of memory and disk does not grow with the video.
 */
export const transcribe = task({
  name: 'video/transcribe',
  pool: 'media',
  payload: z.object({ captionsId: Id }),
  tracked: true,
  attempts: 8,
  timeout: 60 * 60_000,
  async run({ captionsId }, tools) {
    const { db, speech, storage, signal, own } = tools
    const work = await captions.findWork(db, captionsId)
    if (!work) return
    const sound = await runSpeechStep(async () => {
      const found = await findSound(db, work.asset_id, work.package_id)
      if (!found) throw new TranscriptionError('no_sound')
      await speech.check()
      return found
    })
    await own((tx) => captions.start(tx, captionsId, speech.name))
    await listenToAll(work, sound, tools)
    await setLanguage(work, noLanguage, tools)
    const cues = createCues(await captions.listWords(db, captionsId))
    await store(work, writeWebvtt(cues), storage, signal)
    await own(async (tx) => {
      if (!(await captions.markReady(tx, work, cues.length))) return
      await storeCues(tx, work, cuesOfWords(cues))
      const data = { id: work.id, asset_id: work.asset_id, language: work.language, cues: cues.length }
      await emit(tx, work.org_id, 'video.captions.ready', data)
    })
  },
  giveUp: failCaptions,
  revive: reviveCaptions,
})

async function listenToAll(work: captions.Work, sound: PackageSound, tools: Attempt & Tools['media']): Promise<void> {
  const sliceEnds = performance.now() + sliceMs
  for (let from = work.heard; from < sound.seconds; ) {
    if (performance.now() > sliceEnds) throw new Later(0, 'other jobs run first')
    const language = work.language === detectLanguage ? null : work.language
    const heard = await runSpeechStep(() => transcribePiece({ sound, from, language }, tools))
    if (heard.words.length > 0) await setLanguage(work, heard.language, tools)
    await tools.own((tx) => captions.addPiece(tx, work.id, heard))
    tools.progress(heard.to / sound.seconds)
    from = heard.to
  }
}

/** Stores the detected language of captions, unless their language is known. Later pieces are in the same language. */
async function setLanguage(work: captions.Work, language: string | null, { own }: Pick<Attempt, 'own'>): Promise<void> {
  if (work.language !== detectLanguage) return
  await runSpeechStep(async () => {
    if (language === null) throw new TranscriptionError('no_language')
    if (!(await own((tx) => captions.setDetected(tx, work, language))))
      throw new TranscriptionError('language_exists', language)
  })
  work.language = language as string
}

async function store(
  { asset_id, language }: captions.Work,
  text: string,
  storage: Storage,
  signal: AbortSignal,
): Promise<void> {
  const options = { contentType: 'text/vtt; charset=utf-8', cacheControl, signal }
  await storage.put(captions.captionsKey(asset_id, language), Buffer.from(text), options)
}
