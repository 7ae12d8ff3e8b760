import type { FaceCheck } from '#sql/identity/face-checks.ts'
import { challengeCovers } from './challenge.ts'

export const similarityOf = (distance: number): number => Math.round(Math.max(0, 1 - distance / 1.2) * 1e4) / 1e4

/** Returns the figures of a check for the organisation. The person does not see them. */
export function presentFaceCheck(check: FaceCheck) {
  const { id, subject, requirement, decision, distance, threshold, attempts, object_id, model } = check
  return {
    id,
    subject,
    requirement,
    decision,
    similarity: distance === null ? null : similarityOf(distance),
    distance,
    threshold,
    challenge: {
      required: check.challenge_required,
      result: check.challenge_result,
      stops: check.challenge_result === 'passed' ? [...challengeCovers.stops] : [],
      does_not_stop: [...challengeCovers.does_not_stop],
    },
    reasons: check.reasons ?? [],
    attempts,
    object_id,
    model,
  }
}
