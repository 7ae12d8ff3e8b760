import { z } from 'zod'
import type { Member } from '../dashboard/session.ts'
import { type FormState, field } from './form.ts'
import { type Html, html } from './html.ts'
import { tokenField } from './parts.ts'

export const ChosenFile = z.object({
  bytes: z
    .string()
    .regex(/^\d{1,15}$/, 'is required. Turn on JavaScript to upload a file here.')
    .transform(Number),
  filename: z.string(),
  type: z.string(),
})

export interface UploadSession {
  kind: 'video' | 'file' | 'parts'
  id: string
  token: string
  api: string
  to: string
  resume?: string
  url?: string
  headers?: Readonly<Record<string, string>>
  /** Form that the page sends after the upload, instead of opening `to`. */
  then?: { path: string; fields: Readonly<Record<string, string>> }
}

export const sessionPart = (session: UploadSession): Html =>
  html`<p class="lead" data-session="${JSON.stringify(session)}">Upload started.</p>`

export function uploadForm(
  member: Member,
  filled: FormState,
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
  const told: FormState = { given: {}, faults: fault === undefined ? {} : { file: fault } }
  const control = (described: Html) =>
    html`<input id="file" type="file" required${bytes === undefined && html` multiple`}${accept && html` accept="${accept}"`}${described}>`
  return html`<form class="form" method="post" action="${path}" data-upload${bytes !== undefined && html` data-bytes="${bytes}"`}>${tokenField(member)}
<input type="hidden" name="bytes"><input type="hidden" name="filename"><input type="hidden" name="type">
<p class="fault" role="alert" data-fault hidden></p>
${field(told, { name: 'file', label, control, ...(bytes === undefined && { hint: 'You can choose several files, or drop them here.' }) })}
${more}
<p class="hint unscripted">Turn on JavaScript to upload a file here, or use the API.</p>
<button class="start">${words}</button>
<div class="sending" hidden><progress max="100" value="0" aria-label="Upload progress"></progress><p role="status"></p><p class="actions"><button type="button" data-do="pause" hidden>Pause upload</button> <button type="button" data-do="stop">Stop upload</button></p></div>
<div class="uploads" data-own hidden><p role="status"></p><ul></ul></div>
<template><li><p class="upload-name"></p><progress max="100" value="0"></progress><p class="upload-state"></p><p class="actions"><button type="button" data-do="pause" hidden>Pause</button><button type="button" data-do="stop">Stop</button><button type="button" data-do="retry" hidden>Retry</button><a class="button" hidden>Open</a></p></li></template>
</form>`
}
