import * as health from '#sql/account/streams/health.ts'
import { page } from '../../http/console/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { renderTiles } from '../../http/html/tiles.ts'
import { orgLink } from './parts.ts'
import { sections } from './sections.ts'

const most = 200

export const list = page({
  path: '/log-streams',
  summary: 'List log streams of all organisations',
  section: sections.streams,
  async view({ db }) {
    const [counts, found] = await Promise.all([health.countByState(db), health.listForOperators(db, most)])
    const sum = (state: health.FleetCount['state']) =>
      count(counts.reduce((all, one) => all + (one.state === state ? one.streams : 0), 0))
    const main = html`<h1>Log streams</h1>
<p class="lead">Log streams send logs of organisations to their servers. Failing streams come first, then streams with the longest lag.</p>
${renderTiles([
  ['Running', sum('running')],
  ['Failing', sum('failing')],
  ['Paused', sum('paused')],
])}
${found.length === 0 ? html`<p class="empty">No organisation has a log stream.</p>` : streamTable(found)}`
    return { title: 'Log streams', main }
  },
})

const streamTable = (found: readonly health.Listed[]): Html =>
  dataTable('Log streams', found, {
    Organisation: (one) => orgLink(one.org_id, one.org_name),
    'Log stream': (one) => one.name,
    Kind: (one) => one.kind,
    Status: (one) => (one.paused_at ? quiet('paused') : statusBadge(one.failing_since ? 'failing' : 'enabled')),
    'Waiting since': (one) => (one.waiting_since ? ago(one.waiting_since) : quiet('nothing waits')),
    Lost: ['number', (one) => count(one.lost)],
    'Last error': ['break', (one) => (one.failing_since ? one.last_error : null) ?? quiet('none')],
  })
