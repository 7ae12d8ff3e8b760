import { type Content, type Html, html } from './html.ts'

export interface Column<Row> {
  title: string
  cell(row: Row): Content
  /** CSS classes of the cells: `number`, `break`, `wide`, `error`, `id`, `actions`. Default of the first column: `break`. */
  style?: string
  /** Tooltip of the title. */
  hint?: string
}

export type Columns<Row> = readonly (Column<Row> | false | undefined)[]

interface TableOptions<Row> {
  /** Identifies a row between two updates of a live region. */
  key?(row: Row): string
  /** True if the caption is visible. Otherwise, only screen readers read it. */
  captioned?: boolean
  /** False if the table is narrow. On phones, the rows of other tables become cards with labelled cells. */
  stacks?: boolean
}

/** Renders a table. The first column names the row. */
export function dataTable<Row>(
  caption: Content,
  rows: readonly Row[],
  columns: Columns<NoInfer<Row>>,
  { key, captioned = false, stacks = true }: TableOptions<Row> = {},
): Html {
  const shown = columns.filter((column) => column !== false && column !== undefined)
  const rowOf = (row: Row) =>
    html`<tr${key && html` data-key="${key(row)}"`}>${shown.map((column, i) => (i === 0 ? rowHeading(column, row) : cell(column, row, stacks)))}</tr>\n`
  return html`<table class="data${stacks && ' stacks'}"><caption${!captioned && html` class="unseen"`}>${caption}</caption>
<thead><tr>${shown.map(heading)}</tr></thead>
<tbody>${rows.map(rowOf)}</tbody></table>`
}

function heading<Row>({ title, style, hint }: Column<Row>): Html {
  if (style === 'actions') return html`<th scope="col"><span class="unseen">${title}</span></th>`
  return html`<th scope="col"${hint && html` title="${hint}"`}${style?.split(' ').includes('number') && html` class="number"`}>${title}</th>`
}

const classOf = (style: string | undefined) => style && html` class="${style}"`

const rowHeading = <Row>({ style = 'break', cell }: Column<Row>, row: Row): Html =>
  html`<th scope="row"${classOf(style)}>${cell(row)}</th>`

function cell<Row>(column: Column<Row>, row: Row, stacks: boolean): Html {
  const content = html`${column.cell(row)}`
  const label = stacks && column.style !== 'actions' && content.text !== '' && html` data-label="${column.title}"`
  return html`<td${classOf(column.style)}${label}>${content}</td>`
}
