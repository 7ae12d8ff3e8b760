import { createHash } from 'node:crypto'
import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { findByCode } from '#sql/erp/companies.ts'
import { Html, html } from '../http/html/html.ts'
import { sendPublicPage } from '../http/html/public-page.ts'
import { withTokens } from '../http/html/tokens.ts'
import { route } from '../http/route.ts'
import { present } from './present.ts'
import { enter } from './reconcile/access.ts'
import { readEntityId } from './reconcile/entity-type.ts'
import { properties } from './reconcile/properties.ts'

const shown = ['code', 'jurisdiction', 'status', 'legal_form', 'address', 'vat_number', 'lei', 'registered_at']

const style =
  withTokens(`body { margin: 0; padding: 16px; background: var(--card); color: var(--text); font: 14px/1.4 var(--font); }
h1 { margin: 0 0 8px; font-size: 1.1rem; overflow-wrap: anywhere; }
dl { margin: 0; } dl div { display: flex; gap: 8px; } dt { min-width: 9em; color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
`).toString()

const styleHash = createHash('sha256').update(style).digest('base64')

export const preview = route({
  public: true,
  hidden: true,
  limit: false,
  ignoresOtherQuery: true,
  method: 'GET',
  path: '/reconcile/{token}/preview',
  summary: 'Show a company',
  params: z.object({ token: z.string().max(200) }),
  query: z.object({ id: z.string().max(80) }),
  status: 200,
  raw: 'text/html',
  problems: ['bad_request', 'not_found', 'rate_limited'],
  async handle({ ctx, db, params, query, ip }) {
    using _place = await enter(db, params.token, ip)
    const id = readEntityId(query.id)
    const row = id && (await findByCode(db, [id.code])).find(({ jurisdiction }) => jurisdiction === id.jurisdiction)
    if (!row) throw notFound('company')
    const company = present(row)
    const facts = shown.flatMap((name) => {
      const value = properties[name]?.of(company)
      return value ? [html`<div><dt>${properties[name]?.name}</dt><dd>${value}</dd></div>`] : []
    })
    sendPublicPage(ctx, {
      title: company.name,
      language: 'en',
      main: html`<h1>${company.name}</h1><dl>${facts}</dl><p>${company.source.register}. ${company.source.licence}</p>`,
      head: html`<style>${new Html(style)}</style>`,
      policy: { 'style-src': `'sha256-${styleHash}'`, 'frame-ancestors': '*' },
      unlisted: true,
    })
  },
})
