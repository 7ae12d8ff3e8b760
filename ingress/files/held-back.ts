import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type HeldBack, listHeldBack } from '#sql/files/releases.ts'
import { ask } from '../http/console/buttons.ts'
import { ago } from '../http/console/format.ts'
import { type Html, html, search } from '../http/console/html.ts'
import { page } from '../http/console/page.ts'

const perPage = 100

/** Where the console's header leads to. */
export const heldBack = { title: 'Files', path: '/ops/files', group: 'Media' } as const

/** `GET /ops/files`: files that their verdicts hold back, newest first. */
export const list = page({
  path: '/files',
  summary: 'Files that are held back',
  section: heldBack,
  query: z.object({ before: Id.optional() }),
  async view({ db, query: { before } }) {
    const found = await listHeldBack(db, { limit: perPage + 1, before })
    const shown = found.slice(0, perPage)
    const last = found.length > perPage ? shown.at(-1) : undefined
    const main = html`<h1>Files held back</h1>
<p class="lead">Suspicious or unscannable, so nobody can download them. What is infected is not among them, and never released.</p>
${shown.length === 0 ? html`<p class="empty">No file is held back${before && ' before that'}.</p>` : filesTable(shown)}
${last && html`<p class="more"><a href="/ops/files${search({ before: last.id })}">Older</a></p>`}`
    return { title: 'Files', main }
  },
})

function filesTable(files: readonly HeldBack[]): Html {
  return html`<table class="data stacks"><caption class="unseen">Files that are held back</caption>
<thead><tr><th scope="col">File</th><th scope="col">Of</th><th scope="col">Is</th><th scope="col">Why</th>
<th scope="col">Scanned</th><th scope="col"><span class="unseen">Actions</span></th></tr></thead>
<tbody>${files.map(
    ({ id, org, filename, scan_status, reasons, scanned_at }) => html`<tr>
<th scope="row" class="break" title="${id}">${filename}</th><td data-label="Of">${org}</td><td data-label="Is">${scan_status}</td>
<td data-label="Why" class="break">${reasons.slice(0, 3).map(({ detail, entry }) => html`<p>${detail}${entry && html` <span class="quiet">${entry}</span>`}</p>`)}</td>
<td data-label="Scanned">${scanned_at === null ? '–' : ago(scanned_at)}</td>
<td>${ask('release-file', { file: id }, 'Release', filename)}</td></tr>`,
  )}</tbody></table>`
}
