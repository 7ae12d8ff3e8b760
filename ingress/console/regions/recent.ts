import type { DatabasePool } from '#sql/db.ts'
import { type Action, actions } from '#sql/jobs/controls.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'

const shown = 6

export async function recent(db: DatabasePool): Promise<Html> {
  const found = await actions(db, { limit: shown })
  if (found.length === 0) return html`<p class="empty">Operator actions appear here.</p>`
  return html`${actionsTable(found)}<p class="more"><a href="/ops/actions">All actions</a></p>`
}

export function actionsTable(actions: readonly Action[]): Html {
  return dataTable({ caption: 'Operator actions', key: ({ id }) => `action-${id}` }, actions, {
    Action: ['', ({ action }) => action],
    On: ['break', ({ target }) => target],
    Jobs: ['number', ({ count: jobs }) => count(jobs)],
    By: ({ actor }) => html`<span title="${actor}">${actorName(actor)}</span>`,
    Time: ({ at }) => ago(at),
    Reason: ['break', ({ reason }) => reason ?? quiet('–')],
  })
}

/** Returns the name of an actor without the key's ID. */
export const actorName = (actor: string) => actor.replace(/^[0-9a-f-]{36} /, '')
