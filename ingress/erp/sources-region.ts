import { list, type Source } from '#sql/erp/sources.ts'
import { redactUrl } from '#tasks/erp/rules/source-url.ts'
import { confirmLink } from '../http/console/buttons.ts'
import type { Region } from '../http/console/regions.ts'
import { dataTable } from '../http/html/data-table.ts'
import { ago, counted } from '../http/html/format.ts'
import { type Html, html, quiet } from '../http/html/html.ts'
import { mark } from '../http/html/marks.ts'

export const sourcesRegion: Region = {
  everyMs: 5_000,
  async read(db) {
    const sources = await list(db)
    return html`<section aria-labelledby="sources"><h2 id="sources">Sources</h2>${
      sources.length === 0
        ? html`<p class="empty">Sources that Millrace fetches on schedule appear here.</p>`
        : sourceTable(sources)
    }</section>`
  },
}

const sourceTable = (sources: readonly Source[]): Html =>
  dataTable({ caption: 'Register sources', key: (one) => `source-${one.name}` }, sources, {
    Source: (one) =>
      html`<span title="${redactUrl(one.url)}">${one.name} <span class="quiet">${one.profile}</span></span>`,
    Is: ['break', (one) => stateOf(one)],
    Register: ['break', (one) => one.register],
    'Last check': (one) => ago(one.checked_at),
    'Next check': (one) => (one.paused ? quiet('when resumed') : ago(one.next_at)),
    Actions: (one) => html`${confirmLink('fetch-source', { source: one.name }, 'Fetch source', one.name)}
${confirmLink(one.paused ? 'resume-source' : 'pause-source', { source: one.name }, one.paused ? 'Resume source' : 'Pause source', one.name)}`,
  })

function stateOf({ paused, checked_at, failures, failed_at, error }: Source): Html {
  const state = paused
    ? mark('paused')
    : checked_at === null
      ? html`${mark('waiting')} for its first file`
      : html`${mark('alive')} fetched on schedule`
  return failures === 0
    ? state
    : html`${state}<p>${mark('failed')} ${counted(failures, 'time')}, ${ago(failed_at)}: ${error}</p>`
}
