import type { z } from 'zod'
import type { ChallengeResult, FaceDecision, FaceReason } from '#sql/identity/face-checks.ts'
import type { Examination, Pose } from '../engine.ts'

/** Range above a threshold in which a distance is inconclusive. */
export const unsure = 0.1

/** Maximum distance of two frames of one person. Turned heads have distances up to 0.46. */
const samePerson = 0.5

/** Turn of the head in shares of half the face (`measureYaw`): the most for `centre`, and the least for a side. */
const [straight, turned] = [0.2, 0.25]

export type Examined = Exclude<Examination, { refusals: unknown }>

export interface FaceOutcome {
  decision: z.infer<typeof FaceDecision>
  distance: number
  challenge: z.infer<typeof ChallengeResult>
  reasons: FaceReason[]
}

export function decideByDistance(distance: number, threshold: number): z.infer<typeof FaceDecision> {
  if (distance <= threshold) return 'match'
  return distance <= threshold + unsure ? 'inconclusive' : 'no_match'
}

/**
 * Decides from an examination. The first frame is compared with the document, because the person looks at the camera
 * in it. Without poses, no challenge was performed.
 */
export function decideFace({ frames }: Examined, threshold: number, poses: readonly Pose[] | null): FaceOutcome {
  const distance = Math.round((frames[0]?.toDocument ?? Number.POSITIVE_INFINITY) * 1e4) / 1e4
  const decision = decideByDistance(distance, threshold)
  const reasons: FaceReason[] = []
  if (decision !== 'match')
    reasons.push({ code: decision === 'no_match' ? 'different_face' : 'uncertain_face', frame: null })
  if (poses === null) return { decision, distance, challenge: 'not_performed', reasons }
  const found = frames.flatMap((frame, i) => listFaults(frame, poses[i] ?? 'centre', i + 1))
  const hasFailed = found.some(({ code }) => code === 'wrong_pose' || code === 'other_person')
  const challenge = found.length === 0 ? 'passed' : hasFailed ? 'failed' : 'inconclusive'
  return { decision, distance, challenge, reasons: [...reasons, ...found] }
}

function listFaults({ yaw, toFirst }: Examined['frames'][number], pose: Pose, frame: number): FaceReason[] {
  const codes: (FaceReason['code'] | false)[] = [
    poseFault(yaw, pose),
    toFirst > samePerson + unsure ? 'other_person' : toFirst > samePerson && 'uncertain_person',
  ]
  return codes.flatMap((code) => (code ? [{ code, frame }] : []))
}

function poseFault(yaw: number, pose: Pose): 'wrong_pose' | 'unclear_pose' | false {
  if (pose === 'centre') {
    if (Math.abs(yaw) <= straight) return false
    return Math.abs(yaw) < turned ? 'unclear_pose' : 'wrong_pose'
  }
  const towards = pose === 'left' ? yaw : -yaw
  if (towards >= turned) return false
  return towards > straight ? 'unclear_pose' : 'wrong_pose'
}
