import type * as runs from '#sql/automation/runs.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionTitles, rulePath, runPath } from './section.ts'

export const runTable = (shown: readonly runs.ShownRun[], { withRule = true } = {}): Html =>
  dataTable({ caption: 'Runs', key: ({ id }) => id }, shown, {
    Event: (run) => html`<a href="${runPath(run.id)}">${run.event_type}</a>${run.sandbox && html` ${quiet('test')}`}`,
    Rule: withRule && ['break', (run) => html`<a href="${rulePath(run.rule_id)}">${run.rule_name}</a>`],
    Status: (run) =>
      html`${statusBadge(run.status)}${run.error_code && html` <span class="quiet">${run.error_code}</span>`}`,
    Result: (run) => resultLink(run) ?? quiet('none'),
    Started: (run) => ago(run.created_at),
  })

const places = {
  workflow: (id: string) => `/app/notify/events/${id}`,
  job: (id: string) => `/app/jobs/${id}`,
  template: (id: string) => `/app/mail/${id}`,
} as const

/** Links to the object that the action has created. */
export function resultLink({ status, result_type, result_id }: runs.ShownRun): Html | undefined {
  if (status !== 'done' || result_type === null || result_id === null) return undefined
  return html`<a href="${places[result_type](result_id)}">${actionTitles[result_type]}</a>`
}
