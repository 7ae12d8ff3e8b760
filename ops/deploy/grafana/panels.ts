/** Panels of a Grafana dashboard, with the layout of `millrace.json`. */

const datasource = { type: 'prometheus', uid: '$' + '{datasource}' }

export interface Query {
  expr: string
  legend: string
}

export interface Panel {
  title: string
  description?: string
  unit?: string
  queries: readonly Query[]
}

export interface Row {
  title: string
  panels: readonly Panel[]
}

const fieldConfig = (unit: string) => ({
  defaults: { unit, min: 0, custom: { lineWidth: 1, fillOpacity: 8, showPoints: 'never', spanNulls: false } },
  overrides: [],
})

const options = {
  legend: { displayMode: 'table', placement: 'bottom', calcs: ['lastNotNull', 'max'] },
  tooltip: { mode: 'multi', sort: 'desc' },
}

const [height, width, columns] = [8, 8, 3]

function timeseries({ title, description = '', unit = 'short', queries }: Panel, id: number, x: number, y: number) {
  return {
    id,
    type: 'timeseries',
    title,
    description,
    datasource,
    gridPos: { h: height, w: width, x, y },
    fieldConfig: fieldConfig(unit),
    options,
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode(65 + index),
      datasource,
      expr,
      legendFormat: legend,
      range: true,
    })),
  }
}

const header = (title: string, id: number, y: number) => ({
  id,
  type: 'row',
  title,
  collapsed: false,
  gridPos: { h: 1, w: 24, x: 0, y },
  panels: [],
})

/** Places rows below one another, with three panels side by side. */
function place(rows: readonly Row[]): object[] {
  const placed: object[] = []
  let y = 0
  for (const { title, panels } of rows) {
    placed.push(header(title, placed.length + 1, y))
    y += 1
    for (const [index, panel] of panels.entries()) {
      const line = Math.floor(index / columns)
      placed.push(timeseries(panel, placed.length + 1, (index % columns) * width, y + line * height))
    }
    y += Math.ceil(panels.length / columns) * height
  }
  return placed
}

const variable = (name: string, label: string, query: string) => ({
  name,
  label,
  type: 'query',
  datasource,
  query: { query, refId: name },
  definition: query,
  refresh: 2,
  sort: 1,
  multi: true,
  includeAll: true,
  allValue: '.*',
  current: { text: ['All'], value: ['$__all'] },
})

/** Returns a dashboard as Grafana imports it. */
export const dashboard = (name: string, title: string, rows: readonly Row[]) => ({
  uid: `millrace-${name}`,
  title: `Millrace: ${title}`,
  tags: ['millrace'],
  schemaVersion: 39,
  version: 1,
  editable: true,
  graphTooltip: 1,
  timezone: 'browser',
  refresh: '30s',
  time: { from: 'now-6h', to: 'now' },
  templating: {
    list: [
      { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', current: {} },
      variable('job', 'Job', 'label_values(millrace_database_up, job)'),
      variable('instance', 'Process', 'label_values(millrace_database_up{job=~"$job"}, instance)'),
    ],
  },
  annotations: { list: [] },
  links: [
    { type: 'dashboards', title: 'Millrace', tags: ['millrace'], asDropdown: true, includeVars: true, keepTime: true },
  ],
  panels: place(rows),
})
