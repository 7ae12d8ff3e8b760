import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { everything } from '#sql/filters.ts'
import * as brands from '#sql/notify/brands.ts'
import { renderBranded } from '#tasks/notify/rules/brand-html.ts'
import { formatMail } from '#tasks/notify/rules/mail-text.ts'
import { fragment } from '../../http/dashboard/fragment.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { html, quiet } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import * as operations from '../brands.ts'
import { ProductKey } from '../fields.ts'
import { brandFields, brandForm, toBrand, toView } from './brand-form.ts'
import { brandPath, renderTabs, section } from './section.ts'
import { listTemplates } from './template-field.ts'

const path = '/app/notify/brands'

export const overview = page({
  path: '/notify/brands',
  summary: 'List the brands of products',
  section,
  permission: 'templates:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, services, query: { before } }) {
    const found = await brands.list(db, member.orgId, { where: everything, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const add = may('areas:write') && linkButton(`${path}/new`, 'Create a brand', { primary: true })
    const table = dataTable('Brands', shown, {
      Product: (one) =>
        may('areas:write') ? html`<a href="${brandPath(one.product_key)}">${one.product_key}</a>` : one.product_key,
      Name: ['break', (one) => one.name],
      Layout: (one) => (one.layout_id === null ? quiet('built-in') : html`<code>${one.layout_id}</code>`),
      Updated: (one) => ago(one.updated_at),
    })
    const main = html`${renderTabs('Brands', add)}
<p class="lead">A brand is the look of a product’s emails that have no template: logo, colour, footer and layout.</p>
${shown.length === 0 ? emptyState('No brands yet. Emails without a template are plain text.', undefined, add) : table}
${older(path)}
${apiCall(services, 'notify.brands.put')}`
    return { title: 'Brands', main }
  },
})

const reaches = { frames: ["'self'"] }

export const { show: askForBrand, submit: add } = formPage({
  path: '/notify/brands/new',
  summary: 'Create a brand',
  section,
  permission: 'areas:write',
  fields: brandFields,
  async view({ db, member, filled, fault }) {
    const layouts = await listTemplates(db, member.orgId, 'layout')
    const main = html`${parentLink('Brands', path)}<h1>Create a brand</h1>${renderFault(fault)}
${brandForm(member, filled, { layouts, words: 'Create brand' })}`
    return { title: 'Create a brand', main, reaches }
  },
  async submit({ db, member, ask, given }) {
    if (await brands.find(db, { org_id: member.orgId, product_key: given.product_key }))
      throw badRequest([{ field: 'form.product_key', issue: 'is a product with a brand. Edit that brand.' }])
    await ask(operations.put, { body: toBrand(given) }, z.unknown())
    return { to: path, told: 'Brand created.' }
  },
})

/** The example email of a form, for the frame of the editor. */
export const preview = fragment({
  path: '/notify/brands/preview',
  summary: 'Preview the brand of a form',
  permission: 'areas:write',
  fields: brandFields,
  async answer({ db, member, given }) {
    const now = new Date()
    const brand: brands.Brand = {
      ...{ id: member.orgId, org_id: member.orgId, created_at: now, updated_at: now, product_key: given.product_key },
      ...{ name: given.name, logo_url: given.logo_url ?? null, footer: toBrand(given).footer ?? null },
      color: /^#[0-9a-f]{6}$/i.test(given.color ?? '') ? (given.color as string) : null,
      layout_id: given.layout_id ?? null,
    }
    const example = {
      title: 'Your order 1042 is on its way',
      body: 'Dear Ann,\n\nyour order left our warehouse today.\nIt arrives tomorrow.',
      url: 'https://example.com/orders/1042',
    }
    const facts = { type: 'order.shipped', product_key: brand.product_key, data: { order: '1042' }, count: '1' }
    const made = await renderBranded(db, brand, example, facts)
    const fault = 'refused' in made && html`<p>${made.refused.detail}</p>`.text
    const text = `${formatMail([example]).text}${brand.footer === null ? '' : `\n-- \n${brand.footer}\n`}`
    return { html: 'html' in made ? made.html : fault || null, text, view: toView(given.view) }
  },
})

const params = z.object({ product_key: ProductKey })

export const { show: askForChange, submit: change } = formPage({
  path: '/notify/brands/{product_key}',
  summary: 'Edit a brand',
  section,
  permission: 'areas:write',
  params,
  fields: brandFields,
  async view({ db, member, params: { product_key }, filled, fault }) {
    const now = await mustFind(brands.find(db, { org_id: member.orgId, product_key }), 'brand')
    const layouts = await listTemplates(db, member.orgId, 'layout')
    const main = html`${parentLink('Brands', path)}<div class="title"><h1>Brand of ${product_key}</h1><div class="actions"><a class="button" data-confirm href="${brandPath(product_key)}/delete">Delete<span class="unseen"> brand</span></a></div></div>${renderFault(fault)}
${brandForm(member, filled, { now, layouts, words: 'Save brand' })}`
    return { title: `Brand of ${product_key}`, main, reaches }
  },
  async submit({ db, member, ask, params: { product_key }, given }) {
    await mustFind(brands.find(db, { org_id: member.orgId, product_key }), 'brand')
    await ask(operations.put, { body: { ...toBrand(given), product_key } }, z.unknown())
    return { to: path, told: 'Brand saved.' }
  },
})

export const { show: askToDelete, submit: remove } = formPage({
  path: '/notify/brands/{product_key}/delete',
  summary: 'Delete a brand',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({}),
  async view({ db, member, params: { product_key }, fault }) {
    await mustFind(brands.find(db, { org_id: member.orgId, product_key }), 'brand')
    const main = html`${parentLink(product_key, brandPath(product_key))}${renderFault(fault)}
<form class="question" id="question" method="post" action="${brandPath(product_key)}/delete">${tokenField(member)}
<h1 id="confirm-title">Delete the brand of ${product_key}?</h1>
<p>Emails of the product that have no template are then plain text.</p>
<p class="actions"><button class="grave">Delete brand</button> <a class="button plain" data-back href="${brandPath(product_key)}">Cancel</a></p></form>`
    return { title: 'Delete brand', main }
  },
  async submit({ ask, params: query }) {
    await ask(operations.remove, { query }, z.object({}))
    return { to: path, told: 'Brand deleted.' }
  },
})
