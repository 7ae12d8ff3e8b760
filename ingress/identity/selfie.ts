import { createHash } from 'node:crypto'
import { z } from 'zod'
import { config } from '#lib/config.ts'
import { Problem, unavailable } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import { checkFace, checkFaceMs } from '#tasks/identity/check-face.ts'
import { mostFrames } from '#tasks/identity/engine.ts'
import {
  type ClaimedCheck,
  claimSelfie,
  mostAttempts,
  recordFace,
  releaseSelfie,
} from '#tasks/identity/rules/face-check.ts'
import { decideFace } from '#tasks/identity/rules/face-decision.ts'
import { NotStartedInTimeError } from '#tasks/queue/ask.ts'
import type { Services } from '../http/container.ts'
import { noAnswerInTime, problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { questions } from '../http/services.ts'
import { tooManyAttempts } from './challenges.ts'
import { faceImages } from './face-images.ts'
import { createPicture } from './picture.ts'
import { loadPrompt } from './prompt-of.ts'
import { forPeople, used, verified, wrongStep } from './prompts.ts'
import { faceMessage, refusalMessage } from './selfie-words.ts'

/** Maximum sizes in bytes of a frame, and of a request with five frames in base64. */
const [frameBytes, bodyBytes] = [1024 * 1024, 7 * 1024 * 1024]

const loadingSeconds = 5

const stale = problem(409, 'challenge_expired', 'The challenge was used, replaced or has expired.')
const busy = problem(409, 'in_progress', 'A comparison of this link is in progress.')
const frameCount = problem(409, 'wrong_frames', 'The number of frames does not fit the challenge.')
const documentMissing = problem(409, 'document_missing', 'The document was deleted, quarantined or is being scanned.')

export const submit = route({
  ...forPeople,
  method: 'POST',
  path: '/identity/prompts/{token}/selfie',
  summary: 'Submit the frames of a selfie',
  bodyLimit: bodyBytes,
  limit: { perMinute: 60, by: 'ip' },
  atOnce: { requests: config.FACE_PLACES, ofOne: Math.ceil(config.FACE_PLACES * 0.75) },
  body: z.strictObject({
    challenge: Id.nullable().default(null),
    frames: z.array(createPicture(frameBytes)).min(1).max(mostFrames),
  }),
  reply: z.object({
    outcome: z.enum(['submitted', 'try_again']),
    code: z.string().nullable(),
    message: z.string(),
    attempts_left: z.int(),
  }),
  problems: [
    'not_found',
    'upstream_error',
    noAnswerInTime,
    ...[used, verified, wrongStep, tooManyAttempts, stale, busy, frameCount, documentMissing],
  ],
  async handle({ body: { challenge, frames }, db, params: { token }, services }) {
    const { prompt, requirement } = await loadPrompt(db, token, services)
    if (requirement.type !== 'face') throw wrongStep('This page accepts no selfie.')
    const sent = { challenge, frames: frames.length, hash: hashOf(frames) }
    const claimed = await db.transaction((tx) => claimSelfie(tx, prompt.id, sent))
    const examined = await examine(claimed, frames, db, services)
    if ('refusals' in examined) {
      await db.transaction((tx) => releaseSelfie(tx, claimed))
      const [first] = examined.refusals
      const told = first ? refusalMessage(first) : { code: 'no_face_detected', message: 'Try again.' }
      return { outcome: 'try_again' as const, ...told, attempts_left: mostAttempts - claimed.attempts }
    }
    const outcome = decideFace(examined, claimed.threshold, claimed.challenge_required ? claimed.poses : null)
    const model = `${examined.model.name} ${examined.model.version}`
    const check = await db
      .transaction((tx) => recordFace(tx, prompt.id, claimed, { ...outcome, model }))
      .catch(async (error) => {
        await db.transaction((tx) => releaseSelfie(tx, claimed))
        throw error
      })
    if (check.completed_at)
      return { outcome: 'submitted' as const, code: null, message: 'Thank you.', attempts_left: 0 }
    return {
      outcome: 'try_again' as const,
      ...faceMessage(check.reasons ?? []),
      attempts_left: mostAttempts - check.attempts,
    }
  },
})

function hashOf(frames: readonly Buffer[]): string {
  const hash = createHash('sha256')
  for (const frame of frames) hash.update(`${frame.length}:`).update(frame)
  return hash.digest('hex')
}

/** True if the engine worked on the frames: it crashed, or was too slow. Such tries count, so that they end. */
const isEngineFault = (error: unknown): boolean =>
  error instanceof Problem && [502, 504].includes(error.status) && !(error instanceof NotStartedInTimeError)

/** Returns the examination. After any fault, the person can send the same frames again. */
async function examine(check: ClaimedCheck, frames: Buffer[], db: DatabasePool, services: Services) {
  try {
    const named = Object.fromEntries(frames.map((frame, i) => [`frame_${i}`, frame]))
    using held = await services(faceImages).hold(named)
    const payload = { address: held.address, token: held.token, objectId: check.object_id, frames: frames.length }
    const options = { timeout: checkFaceMs, orgId: check.org_id }
    const found = await services(questions).ask(checkFace, payload, options)
    if (!('not' in found)) return found
    if (found.not === 'no_document')
      throw documentMissing('The document is not available yet. Wait a moment, or take another photo of it.')
    if (found.not === 'loading')
      throw unavailable('The face engine is starting. Try again in a few seconds.', loadingSeconds)
    throw new Problem(504, 'server_error', 'The comparison took too long. Try again.', { retryAfter: loadingSeconds })
  } catch (error) {
    await db.transaction((tx) => releaseSelfie(tx, check, { again: true, free: !isEngineFault(error) }))
    throw error
  }
}
