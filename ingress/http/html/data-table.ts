import { type Content, type Html, html } from './html.ts'
import { isState, statusBadge } from './marks.ts'

type Cell<Row> = (row: Row) => Content

/**
 * CSS classes of the cells: `number`, `break`, `wide`, `error`, `id`, `actions`. Default of the first column: `break`.
 * `hint` is a tooltip of the title.
 */
type StyledCell<Row> = readonly [style: string, cell: Cell<Row>, hint?: string]

/**
 * Cells by the title of their column. `false` and `undefined` leave the column out. A plain state in the columns
 * “Status” and “State” becomes a badge.
 */
export type Columns<Row> = Readonly<Record<string, Cell<Row> | StyledCell<Row> | false | undefined>>

interface TableOptions<Row> {
  caption: string | Html
  /** Identifies a row between two updates of a live region. */
  key?(row: Row): string
  /** True if the caption is visible. Otherwise, only screen readers read it. */
  captioned?: boolean
  /** False if the table is narrow. On phones, the rows of other tables become cards with labelled cells. */
  stacks?: boolean
}

/** Renders a table. The first column names the row. */
export function dataTable<Row>(
  table: string | TableOptions<NoInfer<Row>>,
  rows: readonly Row[],
  columns: Columns<NoInfer<Row>>,
): Html {
  const { caption, key, captioned = false, stacks = true } = typeof table === 'string' ? { caption: table } : table
  const shown = Object.entries(columns).flatMap(([title, column]) => (column ? [columnOf(title, column)] : []))
  const rowOf = (row: Row) =>
    html`<tr${key && html` data-key="${key(row)}"`}>${shown.map((column, i) => (i === 0 ? rowHeading(column, row) : cell(column, row, stacks)))}</tr>\n`
  return html`<div class="table${stacks && ' of-cards'}"><table class="data${stacks && ' stacks'}"><caption${!captioned && html` class="unseen"`}>${caption}</caption>
<thead><tr>${shown.map(heading)}</tr></thead>
<tbody>${rows.map(rowOf)}</tbody></table></div>`
}

interface Column<Row> {
  title: string
  style: string | undefined
  cell: Cell<Row>
  hint: string | undefined
}

function columnOf<Row>(title: string, column: Cell<Row> | StyledCell<Row>): Column<Row> {
  const [style, cell, hint] = typeof column === 'function' ? [undefined, column] : column
  return { title, style, cell: title === 'Status' || title === 'State' ? (row) => stateOf(cell(row)) : cell, hint }
}

const stateOf = (content: Content): Content =>
  typeof content === 'string' && isState(content) ? statusBadge(content) : content

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
