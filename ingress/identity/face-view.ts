import type { FaceCheck, FaceReason } from '#sql/identity/face-checks.ts'
import { similarityOf } from '#tasks/identity/rules/face-check-told.ts'
import { type Html, html } from '../http/html/html.ts'
import { statusBadge } from '../http/html/marks.ts'

const decisions = {
  match: ['done', 'match'],
  no_match: ['failed', 'no match'],
  inconclusive: ['expired', 'inconclusive'],
} as const

const results = {
  passed: ['done', 'passed'],
  failed: ['failed', 'failed'],
  inconclusive: ['expired', 'inconclusive'],
  not_performed: ['expired', 'not performed'],
} as const

const reasons: Readonly<Record<FaceReason['code'], string>> = {
  different_face: 'The selfie and the photo on the document show different faces.',
  uncertain_face: 'The selfie and the photo on the document may show different faces.',
  wrong_pose: 'The head was not turned as requested.',
  unclear_pose: 'The head was turned too little.',
  other_person: 'Another person than in the first photo.',
  uncertain_person: 'Possibly another person than in the first photo.',
}

/** Shows the result of a face check to the member who decides. */
export function faceView(check: FaceCheck | null): Html {
  if (check === null || check.decision === null || check.challenge_result === null || check.distance === null)
    return html`<p class="quiet">No selfie was compared with this document.</p>`
  const [decision, challenge] = [decisions[check.decision], results[check.challenge_result]]
  return html`<dl class="facts"><div><dt>Comparison</dt><dd>${statusBadge(decision[0], { shown: decision[1] })}</dd></div>
<div><dt>Similarity</dt><dd>${similarityOf(check.distance)} (distance ${check.distance}, threshold ${check.threshold})</dd></div>
<div><dt>Turns of the head</dt><dd>${statusBadge(challenge[0], { shown: challenge[1] })}</dd></div>
<div><dt>Attempts</dt><dd>${check.attempts}</dd></div></dl>
${check.reasons && check.reasons.length > 0 && html`<ul>${check.reasons.map(({ code, frame }) => html`<li>${frame !== null && `Photo ${frame}: `}${reasons[code]}</li>`)}</ul>`}
<p class="quiet">Passed turns stop a printed photo and a still image. They do not stop a video replay, a deepfake or a mask. The selfies were not stored.</p>`
}
