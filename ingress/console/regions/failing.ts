import type { DatabasePool } from '#sql/db.ts'
import { type FailureGroup, groups } from '#sql/jobs/failure-groups.ts'
import { ago, count, counted } from '../../http/html/format.ts'
import { type Html, html, queryString } from '../../http/html/html.ts'
import { firstLine } from '../jobs-table.ts'

const dayMs = 24 * 3_600_000
const shown = 8

export async function failing(db: DatabasePool): Promise<Html> {
  const found = await groups(db, new Date(Date.now() - dayMs), { limit: shown })
  if (found.length === 0) return html`<p class="empty">No failures in the last day.</p>`
  return html`<ul class="groups">${found.map(item)}</ul>
<p class="more"><a href="/ops/failures">All failures</a></p>`
}

function item(group: FailureGroup): Html {
  return html`<li data-key="group-${group.pool}-${group.task}-${group.fingerprint}">
<a href="${groupPath(group)}">${firstLine(group.error)}</a>
<p class="quiet">${group.task} · ${counted(group.jobs, 'job')}, ${counted(group.attempts, 'attempt')}${group.given_up > 0 && html` · <span class="bad">${count(group.given_up)} failed permanently</span>`} · last ${ago(group.last_at)}</p>
</li>`
}

export const groupPath = ({ pool, task, fingerprint }: Pick<FailureGroup, 'pool' | 'task' | 'fingerprint'>): string =>
  `/ops/failures/group${queryString({ pool, task, fingerprint })}`
