import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { ChallengeResult, FaceDecision, FaceReason, type FaceCheck as Row } from '#sql/identity/face-checks.ts'
import { mostAttempts } from '#tasks/identity/rules/face-check.ts'
import { presentFaceCheck } from '#tasks/identity/rules/face-check-told.ts'
import { Instant } from '../http/instant.ts'
import { toApiSubject } from './subject.ts'

export const FaceCheck = z
  .object({
    id: Id,
    subject: z.string().nullable().describe('`null` for the organisation itself'),
    requirement: z.string(),
    status: z
      .enum(['requires_input', 'completed', 'expired'])
      .describe('`completed`: a result exists, and the check of the requirement was submitted.'),
    decision: FaceDecision.nullable().describe('Comparison of the selfie with the photo on the document'),
    similarity: z.number().min(0).max(1).nullable().describe('Similarity: 1 − distance / 1.2'),
    distance: z.number().nullable().describe('Euclidean distance between the two descriptors'),
    threshold: z.number().describe('Maximum distance for a match. Up to 0.1 above it, the result is `inconclusive`.'),
    challenge: z.object({
      required: z.boolean(),
      result: ChallengeResult.nullable(),
      stops: z.array(z.string()).describe('Attacks that a passed challenge excludes. Empty if it was not passed.'),
      does_not_stop: z.array(z.string()).describe('Attacks that the challenge never excludes'),
    }),
    reasons: z.array(FaceReason).describe('Reasons why the result is not a match, or the challenge was not passed'),
    attempts: z.int().describe('Comparisons with a result'),
    attempts_left: z.int(),
    object_id: Id.nullable().describe('ID of the image of the document in the files area'),
    model: z.string().nullable(),
    selfies_stored: z.literal(false),
    created_at: Instant,
    expires_at: Instant.describe('Expiry of the prompt URL'),
    completed_at: Instant.nullable(),
  })
  .meta({ id: 'identity.FaceCheck' })

export function present(row: Row, now = Date.now()): z.input<typeof FaceCheck> {
  const { subject, created_at, expires_at, completed_at } = row
  const isOver = expires_at.getTime() <= now
  return {
    ...presentFaceCheck(row),
    subject: toApiSubject(subject),
    status: completed_at ? 'completed' : isOver ? 'expired' : 'requires_input',
    attempts_left: completed_at ? 0 : Math.max(0, mostAttempts - row.attempts),
    selfies_stored: false,
    created_at,
    expires_at,
    completed_at,
  }
}
