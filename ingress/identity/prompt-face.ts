import type { FaceCheck } from '#sql/identity/face-checks.ts'
import type { Requirement } from '#tasks/identity/rules/catalogue.ts'
import { type FaceStep, mostAttempts, mostTries } from '#tasks/identity/rules/face-check.ts'
import { type Html, html } from '../http/html/html.ts'

const numbers = { consent: 1, document: 2, selfie: 3 } as const

const stepLine = (step: keyof typeof numbers): Html => html`<p class="step">Step ${numbers[step]} of 3</p>`

/** Returns the step of a person who proves a document and a face. `upload` is the form for the document. */
export function faceSteps(step: FaceStep, requirement: Requirement, check: FaceCheck | null, upload: Html): Html {
  if (step === null) return html``
  if (step === 'consent')
    return html`${stepLine(step)}<p>${requirement.text}</p>
<form method="post" action=""><button>I agree</button></form>`
  if (step === 'document') return html`${stepLine(step)}${upload}`
  return html`${stepLine(step)}${selfie(check)}<div id="document" hidden>${upload}</div>`
}

function selfie(check: FaceCheck | null): Html {
  const hasChallenge = check?.challenge_required !== false
  if (check && (check.attempts >= mostAttempts || check.tries >= mostTries))
    return html`<p role="alert">This link has reached its limit of photos. Request a new link.</p>`
  return html`<section id="selfie"${hasChallenge && html` data-challenge`} aria-labelledby="selfie-title">
<h2 id="selfie-title">Your face</h2>
<p>${
    hasChallenge
      ? 'Follow the instructions: five photos, three seconds each. Left and right are your own left and right.'
      : 'Look straight into the camera. The photo is taken after three seconds.'
  } You must be alone in the picture. The photos are compared with your document and not stored.</p>
<figure hidden><video class="mirrored" muted playsinline aria-label="Camera preview"></video></figure>
<p id="pose" role="status" aria-live="assertive"></p>
<button type="button" id="start">Start</button>
${
  !hasChallenge &&
  html`<p class="spaced"><label for="photo">Or choose a photo</label>
<input id="photo" type="file" accept="image/jpeg,image/png,image/webp" capture="user"></p>`
}
<p class="spaced"><button type="button" id="retake" class="plain">Take another photo of the document</button></p>
<details><summary>What this check covers</summary><p>${
    hasChallenge
      ? 'The turns of your head stop a printed photo and a still image. They do not stop a video replay, a deepfake or a mask.'
      : 'One photo does not show that a person is present.'
  } A person makes the decision.</p></details>
<noscript><p>Turn on JavaScript to use this page.</p></noscript>
</section>`
}
