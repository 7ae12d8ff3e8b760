import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type BlockedObject, listBlocked } from '#sql/files/releases.ts'
import { confirmLink } from '../http/console/buttons.ts'
import { page } from '../http/console/page.ts'
import { dataTable } from '../http/html/data-table.ts'
import { ago } from '../http/html/format.ts'
import { type Html, html } from '../http/html/html.ts'
import { cutPage } from '../http/html/paging.ts'

const perPage = 100

export const blockedFilesSection = { title: 'Files', path: '/ops/files', group: 'Media' } as const

export const list = page({
  path: '/files',
  summary: 'List blocked files',
  section: blockedFilesSection,
  query: z.object({ before: Id.optional() }),
  async view({ db, query: { before } }) {
    const found = await listBlocked(db, { limit: perPage + 1, before })
    const { shown, older } = cutPage(found, perPage)
    const main = html`<h1>Blocked files</h1>
<p class="lead">Suspicious and unscannable files, which cannot be downloaded. Infected files are not listed and cannot be released.</p>
${shown.length === 0 ? html`<p class="empty">No blocked files${before && ' before that'}.</p>` : filesTable(shown)}
${older('/ops/files')}`
    return { title: 'Files', main }
  },
})

function filesTable(files: readonly BlockedObject[]): Html {
  return dataTable('Blocked files', files, {
    File: ({ id, filename }) => html`<span title="${id}">${filename}</span>`,
    Organisation: ({ org }) => org,
    Status: ({ scan_status }) => scan_status,
    Reason: [
      'break',
      ({ reasons }) =>
        reasons
          .slice(0, 3)
          .map(({ detail, entry }) => html`<p>${detail}${entry && html` <span class="quiet">${entry}</span>`}</p>`),
    ],
    Scanned: ({ scanned_at }) => (scanned_at === null ? '–' : ago(scanned_at)),
    Actions: ({ id, filename }) => confirmLink('release-file', { file: id }, 'Release', filename),
  })
}
