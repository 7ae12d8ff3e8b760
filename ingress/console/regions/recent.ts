import type { DatabasePool } from '#sql/db.ts'
import { type Action, actions } from '#sql/jobs/controls.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'

const shown = 6

export async function recent(db: DatabasePool): Promise<Html> {
  const found = await actions(db, { limit: shown })
  if (found.length === 0) return html`<p class="empty">Operator actions appear here.</p>`
  return html`${actionsTable(found)}<p class="more"><a href="/ops/actions">All actions</a></p>`
}

export function actionsTable(actions: readonly Action[]): Html {
  return html`<table class="data stacks"><caption class="unseen">Operator actions</caption>
<thead><tr><th scope="col">Action</th><th scope="col">On</th><th scope="col" class="number">Jobs</th><th scope="col">By</th>
<th scope="col">Time</th><th scope="col">Reason</th></tr></thead>
<tbody>${actions.map(
    ({ id, at, actor, action, target, count: jobs, reason }) => html`<tr data-key="action-${id}">
<th scope="row">${action}</th><td data-label="On" class="break">${target}</td><td data-label="Jobs" class="number">${count(jobs)}</td>
<td data-label="By" title="${actor}">${actorName(actor)}</td><td data-label="Time">${ago(at)}</td>
<td data-label="Reason" class="break">${reason ?? html`<span class="quiet">–</span>`}</td></tr>`,
  )}</tbody></table>`
}

/** Returns the name of an actor without the key's ID. */
export const actorName = (actor: string) => actor.replace(/^[0-9a-f-]{36} /, '')
