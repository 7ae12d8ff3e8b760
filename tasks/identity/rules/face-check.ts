import { conflict } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import * as closures from '#sql/account/closures.ts'
import { type Db, sql } from '#sql/db.ts'
import * as faceChecks from '#sql/identity/face-checks.ts'
import * as prompts from '#sql/identity/prompts.ts'
import { emit } from '../../webhooks/rules/emit.ts'
import { challengeMs, createPoses } from './challenge.ts'
import { presentFaceCheck } from './face-check-told.ts'
import type { FaceOutcome } from './face-decision.ts'
import { submit } from './submit.ts'

/** Most comparisons with a result, challenges and selfies of one prompt. */
export const [mostAttempts, mostChallenges, mostTries] = [3, 20, 20]

/** Time in milliseconds after which a comparison no longer blocks others. Its process has probably ended. */
const busyMs = 60_000

export type FaceStep = 'consent' | 'document' | 'selfie' | null

type Used = Pick<prompts.Prompt, 'object_id' | 'used_at'>

/** Returns the next step of the person. `null` if there is none. */
export function stepOf(prompt: Used, check: faceChecks.FaceCheck | null): FaceStep {
  if (prompt.used_at !== null || check?.completed_at) return null
  if (!check?.consented_at) return 'consent'
  return check.object_id === null || check.object_id !== prompt.object_id ? 'document' : 'selfie'
}

/** Locks the prompt and its check. Throws 409 if the prompt was used, has expired, or its organisation is closed. */
async function lockOpen(tx: Db, promptId: string): Promise<{ prompt: prompts.Prompt; check: faceChecks.FaceCheck }> {
  const prompt = await prompts.lock(tx, promptId)
  const isOpen = prompt !== null && prompt.used_at === null && prompt.expires_at.getTime() > Date.now()
  if (!isOpen || (await closures.isClosed(tx, prompt.org_id)))
    throw conflict('This link was already used or has expired.', 'prompt_used')
  const { id, org_id, subject, requirement, expires_at } = prompt
  return { prompt, check: await faceChecks.start(tx, { id, org_id, subject, requirement, expires_at }) }
}

export async function recordConsent(tx: Db, promptId: string): Promise<void> {
  const { check } = await lockOpen(tx, promptId)
  if (check.consented_at === null) await faceChecks.update(tx, check.id, { consented_at: sql.fragment`now()` })
}

export async function acceptDocument(tx: Db, promptId: string, objectId: string): Promise<void> {
  const { prompt, check } = await lockOpen(tx, promptId)
  if (check.consented_at === null) throw conflict('First agree to the comparison.', 'wrong_step')
  if (prompt.object_id !== objectId) throw conflict('A newer file was uploaded. Submit the newer file.')
  await faceChecks.update(tx, check.id, { object_id: objectId })
}

async function lockForSelfie(tx: Db, promptId: string) {
  const { prompt, check } = await lockOpen(tx, promptId)
  if (stepOf(prompt, check) !== 'selfie') throw conflict('First submit the document.', 'wrong_step')
  if (check.attempts >= mostAttempts || check.tries >= mostTries)
    throw conflict('This link has reached its limit of photos. Request a new link.', 'too_many_attempts')
  return check
}

/** Creates the challenge that replaces the previous one. */
export async function createChallenge(tx: Db, promptId: string): Promise<faceChecks.FaceCheck> {
  const check = await lockForSelfie(tx, promptId)
  if (check.challenges >= mostChallenges)
    throw conflict('This link has reached its limit of challenges. Request a new link.', 'too_many_attempts')
  return await faceChecks.update(tx, check.id, {
    poses: sql.jsonb(createPoses()),
    challenge_id: newId(),
    challenge_expires_at: new Date(Date.now() + challengeMs),
    challenge_used_at: null,
    challenges: check.challenges + 1,
  })
}

/**
 * Reserves the check for one comparison and uses up the challenge, so that the same frames cannot be sent twice. Throws
 * 409 if the challenge is another one, was used or has expired.
 */
export async function claimSelfie(
  tx: Db,
  promptId: string,
  { challenge, frames }: { challenge: string | null; frames: number },
): Promise<faceChecks.FaceCheck & { object_id: string }> {
  const check = await lockForSelfie(tx, promptId)
  if (check.busy_until !== null && check.busy_until.getTime() > Date.now())
    throw conflict('The previous photos are still being compared.', 'in_progress')
  if (check.challenge_required) demandChallenge(check, challenge)
  const wanted = check.challenge_required ? (check.poses ?? []).length : 1
  if (frames !== wanted) throw conflict(`This step needs ${wanted} frames.`, 'wrong_frames')
  const claimed = await faceChecks.update(tx, check.id, {
    tries: check.tries + 1,
    busy_until: new Date(Date.now() + busyMs),
    ...(check.challenge_required && { challenge_used_at: sql.fragment`now()` }),
  })
  return { ...claimed, object_id: claimed.object_id ?? '' }
}

function demandChallenge(check: faceChecks.FaceCheck, challenge: string | null): void {
  const isCurrent = challenge !== null && check.challenge_id === challenge && check.challenge_used_at === null
  const isInTime = (check.challenge_expires_at?.getTime() ?? 0) > Date.now()
  if (!isCurrent || !isInTime)
    throw conflict('This challenge was used, replaced or has expired. Start a new one.', 'challenge_expired')
}

/** Releases the check after a comparison without a result. The same frames can be sent again after an engine fault. */
export async function releaseSelfie(tx: Db, id: string, { isFault }: { isFault: boolean }): Promise<void> {
  const check = await faceChecks.lock(tx, id)
  if (check === null) return
  await faceChecks.update(tx, id, {
    busy_until: null,
    ...(isFault && {
      tries: Math.max(0, check.tries - 1),
      challenge_used_at: null,
      challenge_expires_at: new Date(Date.now() + challengeMs),
    }),
  })
}

/**
 * Records the result of a comparison. The check is completed by a match with a passed challenge, or by the last attempt.
 * The completed check is submitted: a person or the organisation’s server decides.
 */
export async function recordFace(
  tx: Db,
  promptId: string,
  { object_id, challenge_id }: Pick<faceChecks.FaceCheck, 'object_id' | 'challenge_id'>,
  { decision, distance, challenge, reasons, model }: FaceOutcome & { model: string },
): Promise<faceChecks.FaceCheck> {
  const { prompt, check } = await lockOpen(tx, promptId)
  if (prompt.object_id !== object_id || check.challenge_id !== challenge_id)
    throw conflict('A newer document or challenge replaced this one.', 'challenge_expired')
  const attempts = check.attempts + 1
  const isPositive = decision === 'match' && (challenge === 'passed' || challenge === 'not_performed')
  const isDone = isPositive || attempts >= mostAttempts
  const recorded = await faceChecks.update(tx, check.id, {
    ...{ attempts, busy_until: null, decision, distance, challenge_result: challenge, model },
    reasons: sql.jsonb(reasons),
    ...(isDone && { completed_at: sql.fragment`now()` }),
  })
  if (!isDone || object_id === null) return recorded
  await submit(tx, promptId, { method: 'upload', objectId: object_id })
  await emit(tx, recorded.org_id, 'identity.face_check.completed', presentFaceCheck(recorded))
  return recorded
}
