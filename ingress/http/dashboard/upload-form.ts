import { z } from 'zod'
import { type Html, html } from '../console/html.ts'
import { type Filled, field } from './form.ts'
import { tokenField } from './parts.ts'
import type { Member } from './session.ts'

/** What the page's script tells of the file that was chosen. */
export const ChosenFile = z.object({
  bytes: z
    .string()
    .regex(/^\d{1,15}$/, 'choose a file; this page needs script to send it')
    .transform(Number),
  filename: z.string(),
  type: z.string(),
})

/** What the page's script is given to send the bytes with. */
export interface UploadSession {
  kind: 'video' | 'file'
  id: string
  /** Opens the operations of this upload alone. */
  token: string
  /** Where the API is. */
  api: string
  /** The page that shows what was uploaded. */
  to: string
  /** The page on which an upload that was stopped can be gone on with. */
  resume?: string
  /** Where a file goes, and with which headers. */
  url?: string
  headers?: Readonly<Record<string, string>>
}

/** Answers the page's script, which asked for an upload to be started. */
export const sessionPart = (session: UploadSession): Html =>
  html`<p class="lead" data-session="${JSON.stringify(session)}">The upload is open.</p>`

/** A form that uploads a file with progress; `bytes` is given when it must be the one of an upload that was begun. */
export function uploadForm(
  member: Member,
  filled: Filled,
  {
    path,
    label,
    accept,
    bytes,
    words,
    more,
  }: { path: string; label: string; accept?: string; bytes?: number; words: string; more?: Html },
): Html {
  const { bytes: size, filename, type } = filled.faults
  const fault = size ?? filename ?? type
  const told: Filled = { given: {}, faults: fault === undefined ? {} : { file: fault } }
  const control = (described: Html) =>
    html`<input id="file" type="file" required${accept && html` accept="${accept}"`}${described}>`
  return html`<form class="form" method="post" action="${path}" data-upload${bytes !== undefined && html` data-bytes="${bytes}"`}>${tokenField(member)}
<input type="hidden" name="bytes"><input type="hidden" name="filename"><input type="hidden" name="type">
<p class="fault" role="alert" data-fault hidden></p>
${field(told, { name: 'file', label, control })}
${more}
<p class="hint unscripted">Sending a file from here needs script; the API takes uploads, too.</p>
<button class="start">${words}</button>
<div class="sending" hidden><progress max="100" value="0" aria-label="Progress of the upload"></progress><p role="status"></p><p><button type="button">Stop</button></p></div>
</form>`
}
