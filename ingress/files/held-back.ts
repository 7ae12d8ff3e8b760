import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type BlockedObject, listBlocked } from '#sql/files/releases.ts'
import { confirmLink } from '../http/console/buttons.ts'
import { page } from '../http/console/page.ts'
import { ago } from '../http/html/format.ts'
import { type Html, html, queryString } from '../http/html/html.ts'

const perPage = 100

export const blockedFilesSection = { title: 'Files', path: '/ops/files', group: 'Media' } as const

export const list = page({
  path: '/files',
  summary: 'List blocked files',
  section: blockedFilesSection,
  query: z.object({ before: Id.optional() }),
  async view({ db, query: { before } }) {
    const found = await listBlocked(db, { limit: perPage + 1, before })
    const shown = found.slice(0, perPage)
    const last = found.length > perPage ? shown.at(-1) : undefined
    const main = html`<h1>Blocked files</h1>
<p class="lead">Suspicious and unscannable files, which cannot be downloaded. Infected files are not listed and cannot be released.</p>
${shown.length === 0 ? html`<p class="empty">No blocked files${before && ' before that'}.</p>` : filesTable(shown)}
${last && html`<p class="more"><a href="/ops/files${queryString({ before: last.id })}">Older</a></p>`}`
    return { title: 'Files', main }
  },
})

function filesTable(files: readonly BlockedObject[]): Html {
  return html`<table class="data stacks"><caption class="unseen">Blocked files</caption>
<thead><tr><th scope="col">File</th><th scope="col">Organisation</th><th scope="col">Status</th><th scope="col">Reason</th>
<th scope="col">Scanned</th><th scope="col"><span class="unseen">Actions</span></th></tr></thead>
<tbody>${files.map(
    ({ id, org, filename, scan_status, reasons, scanned_at }) => html`<tr>
<th scope="row" class="break" title="${id}">${filename}</th><td data-label="Organisation">${org}</td><td data-label="Status">${scan_status}</td>
<td data-label="Reason" class="break">${reasons.slice(0, 3).map(({ detail, entry }) => html`<p>${detail}${entry && html` <span class="quiet">${entry}</span>`}</p>`)}</td>
<td data-label="Scanned">${scanned_at === null ? '–' : ago(scanned_at)}</td>
<td>${confirmLink('release-file', { file: id }, 'Release', filename)}</td></tr>`,
  )}</tbody></table>`
}
