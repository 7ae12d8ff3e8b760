import { list, type Source } from '#sql/erp/sources.ts'
import { redactUrl } from '#tasks/erp/rules/source-url.ts'
import { confirmLink } from '../http/console/buttons.ts'
import type { Region } from '../http/console/regions.ts'
import { ago, counted } from '../http/html/format.ts'
import { type Html, html } from '../http/html/html.ts'
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

const sourceTable = (
  sources: readonly Source[],
): Html => html`<table class="data stacks"><caption class="unseen">Register sources</caption>
<thead><tr><th scope="col">Source</th><th scope="col">Is</th><th scope="col">Register</th><th scope="col">Last check</th>
<th scope="col">Next check</th><th scope="col"><span class="unseen">Actions</span></th></tr></thead>
<tbody>${sources.map(
  (
    one,
  ) => html`<tr data-key="source-${one.name}"><th scope="row" class="break" title="${redactUrl(one.url)}">${one.name} <span class="quiet">${one.profile}</span></th>
<td class="break" data-label="Is">${stateOf(one)}</td><td class="break" data-label="Register">${one.register}</td>
<td data-label="Last check">${ago(one.checked_at)}</td><td data-label="Next check">${one.paused ? html`<span class="quiet">when resumed</span>` : ago(one.next_at)}</td>
<td>${confirmLink('fetch-source', { source: one.name }, 'Fetch source', one.name)}
${confirmLink(one.paused ? 'resume-source' : 'pause-source', { source: one.name }, one.paused ? 'Resume source' : 'Pause source', one.name)}</td></tr>`,
)}</tbody></table>`

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
