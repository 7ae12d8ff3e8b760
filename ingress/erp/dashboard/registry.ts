import { z } from 'zod'
import { Problem } from '#lib/errors.ts'
import * as watches from '#sql/erp/watches.ts'
import { page } from '../../http/dashboard/page.ts'
import { recentUse } from '../../http/dashboard/recent-use.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { getFieldFaults, optionalField } from '../../http/html/form.ts'
import { type Content, type Html, html, queryString, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { olderLink } from '../../http/html/paging.ts'
import { emptyState, linkButton, parentLink, renderFault } from '../../http/html/parts.ts'
import { CompanyMatch, read, search } from '../companies.ts'
import { Company } from '../present.ts'
import { list as listRelations } from '../relations.ts'
import { Relations, relationSections } from './relations.ts'
import { companyPath, section, watchesPath } from './section.ts'

const Found = z.object({ data: z.array(CompanyMatch), next_cursor: z.string().nullable(), complete: z.boolean() })

type Match = z.output<typeof CompanyMatch>

const short = optionalField(z.string().trim().max(200))

export const overview = page({
  path: '/registry',
  summary: 'Search companies',
  section,
  query: z.object({ q: short, jurisdiction: short, cursor: z.string().max(2_000).optional() }),
  async view({ db, ask, member, services, query }) {
    const { q, jurisdiction } = query
    const asked = Object.fromEntries(Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : [])))
    let found: z.output<typeof Found> | undefined
    let fault: string | undefined
    try {
      found = await ask(search, { query: asked }, Found)
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error
      fault =
        Object.entries(getFieldFaults(error))
          .map(([name, issue]) => `${name} ${issue}.`)
          .join(' ') || error.message
    }
    const main = html`<h1>Company registry</h1>
<p class="lead">Search companies in public registers by name, code, VAT number or LEI.</p>
<p class="actions spaced"><a class="button" href="${watchesPath}">Watched companies</a></p>${renderFault(fault)}
${filterForm(filters, { q, jurisdiction }, { button: 'Search', ...((q || jurisdiction) && { clear: section.path }) })}
${found && results(found)}
${found?.next_cursor && olderLink(section.path, { q, jurisdiction, cursor: found.next_cursor }, 'More companies')}
${apiCall(services, 'erp.companies.search', { query: { q: q ?? 'kestrel', ...(jurisdiction && { jurisdiction }) } })}
${await recentUse(db, member.orgId, 'erp')}`
    return { title: 'Company registry', main }
  },
})

const filters = [
  { name: 'q', label: 'Name, code, VAT number or LEI', type: 'search', placeholder: 'Kestrel Energy', most: 200 },
  { name: 'jurisdiction', label: 'Country', placeholder: 'ee', most: 6, narrow: true },
] as const

const results = ({ data, complete }: z.output<typeof Found>): Html =>
  data.length === 0
    ? emptyState('No companies match.', 'Check the spelling, or search without a country.')
    : html`${companyTable(data)}${!complete && html`<p class="quiet">The search ran out of time. Enter more of the name to see all companies.</p>`}`

const companyTable = (rows: readonly Match[]): Html =>
  dataTable('Companies', rows, {
    Company: ['break', (one) => html`<a href="${companyPath(one)}">${one.name}</a>`],
    Code: (one) => html`<code>${one.code}</code>`,
    Country: (one) => one.jurisdiction.toUpperCase(),
    Status: (one) => statusOf(one.status),
    City: ['break', (one) => one.city ?? quiet('unknown')],
    Match: (one) => one.match.field.replace('_', ' '),
  })

const statusOf = (status: string): Html => statusBadge(status)

export const company = page({
  path: '/registry/{code}',
  summary: 'Show a company',
  section,
  params: z.object({ code: z.string().max(60) }),
  query: z.object({ jurisdiction: short }),
  async view({ ask, db, may, member, services, params: { code }, query: { jurisdiction } }) {
    const query = jurisdiction ? { jurisdiction } : {}
    const one = await ask(read, { params: { code }, query }, Company)
    const relations = (direction: 'parents' | 'children') =>
      ask(
        listRelations,
        { params: { code: one.code }, query: { jurisdiction: one.jurisdiction, direction } },
        Relations,
      )
    const [parents, children] = [await relations('parents'), await relations('children')]
    const watched = await watches.findByCompany(db, member.orgId, one)
    const watch = watched
      ? html`<a class="button" href="${watchesPath}">Watched</a>`
      : may('areas:write') &&
        linkButton(`${watchesPath}/new${queryString({ code: one.code, jurisdiction: one.jurisdiction })}`, 'Watch')
    const { source } = one
    const facts: readonly (readonly [string, Content])[] = [
      ['Status', statusOf(one.status)],
      ['Code', html`<code>${one.code}</code>`],
      ['Country', one.jurisdiction.toUpperCase()],
      ['Legal form', one.legal_form.name ?? one.legal_form.code],
      ['VAT number', one.vat_number],
      ['LEI', one.lei],
      ['Address', one.registered_address.full],
      ['Registered', one.registered_at],
      ['Dissolved', one.dissolved_at],
      ['Previous names', one.previous_names.join(', ')],
      ['Activities', one.activities.map(({ code: activity, name }) => name ?? activity).join(', ')],
      [
        'Register',
        source.record_url
          ? html`<a href="${source.record_url}" rel="noreferrer">${source.register}</a>`
          : source.register,
      ],
      ['Licence', source.licence],
    ]
    const main = html`${parentLink('Company registry', section.path)}<div class="title"><h1>${one.name}</h1>${watch}</div>
<dl class="facts">${facts.map(([name, value]) => value && html`<div><dt>${name}</dt><dd class="break">${value}</dd></div>`)}</dl>
${relationSections(parents, children)}
${apiCall(services, 'erp.companies.read', { path: { code: one.code }, query: { jurisdiction: one.jurisdiction } })}
${apiCall(services, 'erp.companies.officers', { path: { code: one.code }, query: { jurisdiction: one.jurisdiction } })}`
    return { title: one.name, main }
  },
})
