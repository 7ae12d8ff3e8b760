import { readFile } from 'node:fs/promises'
import type { Context } from 'koa'
import { z } from 'zod'
import type { Problem } from '#lib/errors.ts'
import type { Publisher } from '#sql/account/publishers.ts'
import type { FaceCheck } from '#sql/identity/face-checks.ts'
import type { Prompt } from '#sql/identity/prompts.ts'
import { type Requirement, showsDocument } from '#tasks/identity/rules/catalogue.ts'
import { stepOf } from '#tasks/identity/rules/face-check.ts'
import { type Content, type Html, html } from '../http/html/html.ts'
import { sendPublicPage } from '../http/html/public-page.ts'
import { withTokens } from '../http/html/tokens.ts'
import { openFile } from '../http/pages/open-routes.ts'
import { fileSender } from '../http/pages/static-files.ts'
import { route } from '../http/route.ts'
import { faceSteps } from './prompt-face.ts'

const ours = (name: string) => () => readFile(new URL(`./prompt/${name}`, import.meta.url))

const files = {
  'prompt.js': { type: 'text/javascript', read: ours('prompt.js') },
  'selfie.js': { type: 'text/javascript', read: ours('selfie.js') },
  'prompt.css': { type: 'text/css', read: async () => withTokens(new URL('./prompt/prompt.css', import.meta.url)) },
}

const send = fileSender(files)

export const file = route({
  ...openFile,
  path: '/identity/files/{file}',
  summary: 'Get a file of the prompt page',
  params: z.object({ file: z.enum(Object.keys(files) as [string, ...string[]]) }),
  async handle({ ctx, params }) {
    await send(ctx, params.file, 'no-cache')
  },
})

export interface PromptPage {
  prompt: Pick<Prompt, 'used_at' | 'return_to' | 'object_id'>
  requirement: Requirement
  /** Check of a requirement of type `face`. `null` before the person has agreed. */
  face?: FaceCheck | null
  types: readonly string[]
  storage: string
  publisher?: Publisher | null
}

/** Sends the prompt page. It cannot be framed, and sends no referrer. */
export function sendPrompt(ctx: Context, page: PromptPage): void {
  const { prompt, requirement } = page
  const isDone = prompt.used_at !== null
  const main = html`<h1>${requirement.title}</h1>
${!isDone && stepOfPage(page)}
<p id="done" role="status"${!isDone && html` hidden`}>Thank you. This step is complete.</p>
${prompt.return_to !== null && back(prompt.return_to)}`
  document(ctx, requirement.title, main, page)
}

function stepOfPage(page: PromptPage): Html {
  const { requirement, prompt, face = null } = page
  if (requirement.type === 'consent') return consentForm(requirement)
  if (requirement.type !== 'face') return html`${uploadForm(page)}${stateLine}`
  const text = 'A photo of the side with your picture, all four corners in sight.'
  const upload = uploadForm({ ...page, requirement: { ...requirement, text } })
  return html`${faceSteps(stepOf(prompt, face), requirement, face, upload)}${stateLine}`
}

const consentForm = ({ text }: Requirement): Html =>
  html`<p>${text}</p><form method="post" action=""><button>I agree</button></form>`

function uploadForm({ requirement: { key, type, text, accepted }, types }: PromptPage): Html {
  const selfie = type === 'selfie'
  return html`<form id="upload" data-facing="${selfie ? 'user' : 'environment'}"${showsDocument(key) && html` data-reads`}>
<p id="hint">${text}${accepted && ` Accepted documents: ${accepted.map((one) => one.replaceAll('_', ' ')).join(', ')}.`}</p>
<p><label for="file">${types.includes('application/pdf') ? 'Photo, scan or PDF' : 'Photo'}</label>
<input id="file" type="file" required accept="${types.join(',')}"${selfie && html` capture="user"`} aria-describedby="hint"></p>
<div id="camera" hidden>
<button type="button" id="open" class="plain">Use the camera</button>
<figure hidden><video muted playsinline aria-label="Camera preview"></video><canvas hidden role="img" aria-label="Your photo"></canvas></figure>
<button type="button" id="shoot" class="plain" hidden>Take photo</button>
</div>
<button>${type === 'face' ? 'Continue' : 'Submit'}</button>
<noscript><p>Turn on JavaScript to use this page.</p></noscript>
</form>`
}

const stateLine = html`<p id="state" role="status"></p>
<button type="button" id="anyway" class="plain" hidden>Submit anyway</button>`

const back = (url: string): Html => html`<p><a href="${url}" rel="noreferrer">Back to ${new URL(url).host}</a></p>`

export function renderProblem(ctx: Context, { status }: Problem): void {
  const [title, sentence] =
    status === 404 || status === 409
      ? [
          'This link no longer works',
          'The link works once and expires after 30 minutes. Return to the page that sent you here and request a new link.',
        ]
      : ['Something went wrong', 'Nothing was submitted. Try again in a minute.']
  document(ctx, title, html`<h1>${title}</h1><p role="alert">${sentence}</p>`, { storage: "'none'" })
}

function document(
  ctx: Context,
  title: string,
  main: Content,
  { storage, publisher }: Pick<PromptPage, 'storage' | 'publisher'>,
): void {
  sendPublicPage(ctx, {
    title,
    head: html`<link rel="stylesheet" href="/identity/files/prompt.css">
<script type="module" src="/identity/files/prompt.js"></script>
<script type="module" src="/identity/files/selfie.js"></script>`,
    main,
    publisher,
    policy: {
      'script-src': "'self'",
      'style-src': "'self'",
      'connect-src': `'self'${storage.startsWith('http') ? ` ${storage}` : ''}`,
      'form-action': "'self'",
    },
    unlisted: true,
  })
}
