import type { DatabasePool } from '#sql/db.ts'
import { type Action, actions } from '#sql/jobs/controls.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'

const shown = 6

export async function recent(db: DatabasePool): Promise<Html> {
  const found = await actions(db, { limit: shown })
  if (found.length === 0) return html`<p class="empty">Operator actions appear here.</p>`
  return html`${actionsTable(found)}<p class="more"><a href="/ops/actions">All actions</a></p>`
}

export function actionsTable(actions: readonly Action[]): Html {
  return dataTable(
    'Operator actions',
    actions,
    [
      { title: 'Action', style: '', cell: ({ action }) => action },
      { title: 'On', style: 'break', cell: ({ target }) => target },
      { title: 'Jobs', style: 'number', cell: ({ count: jobs }) => count(jobs) },
      { title: 'By', cell: ({ actor }) => html`<span title="${actor}">${actorName(actor)}</span>` },
      { title: 'Time', cell: ({ at }) => ago(at) },
      { title: 'Reason', style: 'break', cell: ({ reason }) => reason ?? html`<span class="quiet">–</span>` },
    ],
    { key: ({ id }) => `action-${id}` },
  )
}

/** Returns the name of an actor without the key's ID. */
export const actorName = (actor: string) => actor.replace(/^[0-9a-f-]{36} /, '')
