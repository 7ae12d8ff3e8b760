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
    frames_hash: null,
    challenges: check.challenges + 1,
  })
}

/** A check that is reserved for one comparison. */
export type ClaimedCheck = faceChecks.FaceCheck & { object_id: string }

/**
 * Reserves the check for one comparison and uses up the challenge. Throws 409 if the challenge is another one, was used
 * or has expired. Also throws 409 if other frames were already sent for it: the person then had too much time.
 */
export async function claimSelfie(
  tx: Db,
  promptId: string,
  { challenge, frames, hash }: { challenge: string | null; frames: number; hash: string },
): Promise<ClaimedCheck> {
  const check = await lockForSelfie(tx, promptId)
  if (check.busy_until !== null && check.busy_until.getTime() > Date.now())
    throw conflict('The previous photos are still being compared.', 'in_progress')
  if (check.challenge_required) demandChallenge(check, challenge, hash)
  const wanted = check.challenge_required ? (check.poses ?? []).length : 1
  if (frames !== wanted) throw conflict(`This step needs ${wanted} frames.`, 'wrong_frames')
  const claimed = await faceChecks.update(tx, check.id, {
    tries: check.tries + 1,
    busy_until: new Date(Date.now() + busyMs),
    ...(check.challenge_required && { challenge_used_at: sql.fragment`now()`, frames_hash: hash }),
  })
  return { ...claimed, object_id: claimed.object_id ?? '' }
}

function demandChallenge(check: faceChecks.FaceCheck, challenge: string | null, hash: string): void {
  const isFree = check.challenge_used_at === null && (check.frames_hash === null || check.frames_hash === hash)
  const isCurrent = challenge !== null && check.challenge_id === challenge && isFree
  const isInTime = (check.challenge_expires_at?.getTime() ?? 0) > Date.now()
  if (!isCurrent || !isInTime)
    throw conflict('This challenge was used, replaced or has expired. Start a new one.', 'challenge_expired')
}

/** True if no other comparison has started since this one. */
const isHeld = (check: faceChecks.FaceCheck, claimed: faceChecks.FaceCheck): boolean =>
  check.busy_until !== null && check.busy_until.getTime() === claimed.busy_until?.getTime()

/**
 * Releases the check after a comparison without a result. `again`: the same frames can be sent again. `free`: they were
 * not examined, so they do not count as a try.
 */
export async function releaseSelfie(
  tx: Db,
  claimed: ClaimedCheck,
  { again = false, free = false }: { again?: boolean; free?: boolean } = {},
): Promise<void> {
  const check = await faceChecks.lock(tx, claimed.id)
  if (check === null || !isHeld(check, claimed)) return
  const isReopened = again && check.challenge_id === claimed.challenge_id
  await faceChecks.update(tx, claimed.id, {
    busy_until: null,
    ...(free && { tries: Math.max(0, check.tries - 1) }),
    ...(isReopened && { challenge_used_at: null, challenge_expires_at: new Date(Date.now() + challengeMs) }),
  })
}

/**
 * Records the result of a comparison. The check is completed by a match with a passed challenge, or by the last attempt.
 * The completed check is submitted: a person or the organisation’s server decides.
 */
export async function recordFace(
  tx: Db,
  promptId: string,
  claimed: ClaimedCheck,
  { decision, distance, challenge, reasons, model }: FaceOutcome & { model: string },
): Promise<faceChecks.FaceCheck> {
  const { prompt, check } = await lockOpen(tx, promptId)
  const { object_id, challenge_id } = claimed
  if (prompt.object_id !== object_id || check.challenge_id !== challenge_id || !isHeld(check, claimed))
    throw conflict('A newer document or challenge replaced this one.', 'challenge_expired')
  const attempts = check.attempts + 1
  const isPositive = decision === 'match' && (challenge === 'passed' || challenge === 'not_performed')
  const isDone = isPositive || attempts >= mostAttempts
  const recorded = await faceChecks.update(tx, check.id, {
    ...{ attempts, busy_until: null, decision, distance, challenge_result: challenge, model },
    reasons: sql.jsonb(reasons),
    ...(isDone && { completed_at: sql.fragment`now()` }),
  })
  if (!isDone) return recorded
  await submit(tx, promptId, { method: 'upload', objectId: object_id })
  await emit(tx, recorded.org_id, 'identity.face_check.completed', presentFaceCheck(recorded))
  return recorded
}
