import { z } from 'zod'
import { dataTable } from '../../http/html/data-table.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { Relation } from '../relations.ts'
import { companyPath } from './section.ts'

export const Relations = z.object({ data: z.array(Relation), next_cursor: z.string().nullable(), known: z.boolean() })

type Relations = z.output<typeof Relations>

/** Renders the parents and children of a company. Undefined if it has none. */
export function relationSections(parents: Relations, children: Relations): Html | undefined {
  if (parents.data.length + children.data.length === 0) return undefined
  return html`${section('Parents', parents)}${section('Children', children)}`
}

const section = (title: string, { data, next_cursor }: Relations): Html | false =>
  data.length > 0 &&
  html`<section><h2>${title}</h2>${dataTable(title, data, {
    Company: ['break', companyOf],
    Relation: ({ kind }) => kind.replaceAll('_', ' '),
    LEI: ({ lei }) => (lei ? html`<code>${lei}</code>` : quiet('none')),
    Status: ({ status }) => statusBadge(status),
    Since: ({ since }) => since ?? quiet('unknown'),
  })}${next_cursor && html`<p class="quiet">The API returns all relations.</p>`}</section>`

function companyOf({ company, lei, reason }: z.output<typeof Relation>) {
  if (company) return html`<a href="${companyPath(company)}">${company.name}</a>`
  if (lei) return quiet('not in an imported register')
  return quiet(`not reported: ${(reason ?? '').replaceAll('_', ' ')}`)
}
