import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { whereOf } from '#sql/filters.ts'
import * as texts from '#sql/notify/texts.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton } from '../../http/html/parts.ts'
import { renderTabs, section, textPath } from './section.ts'

const path = '/app/notify/texts'

export const overview = page({
  path: '/notify/texts',
  summary: 'List the texts of event types',
  section,
  permission: 'templates:read',
  query: z.object({ type: optionalField(z.string().max(200)), before: Id.optional() }),
  async view({ db, member, may, query: { type, before } }) {
    const where = whereOf(texts.filters, { type })
    const { shown, older } = cutPage(await texts.list(db, member.orgId, { where, before, limit: perPage + 1 }))
    const add = may('areas:write') && linkButton(`${path}/new`, 'Write a text', { primary: true })
    const isFiltered = type !== undefined
    const main = html`${renderTabs('Texts', add)}
<p class="lead">A text is the title and body of an event type in one language. Workflows use it instead of the text of the event.</p>
${(shown.length > 0 || isFiltered) && filterForm([{ name: 'type', label: 'Event type' }], { type }, { button: 'Find', ...(isFiltered && { clear: path }) })}
${shown.length === 0 ? emptyState(isFiltered ? 'No text has this event type.' : 'No texts yet. Messages use the title and body of the event.', undefined, add) : textTable(shown)}
${older(path, { type })}`
    return { title: 'Texts', main }
  },
})

const textTable = (shown: readonly texts.Text[]): Html =>
  dataTable('Texts', shown, {
    'Event type': (one) => html`<a href="${textPath(one.type, one.locale)}">${one.type}</a>`,
    Language: (one) => one.locale,
    Title: ['break', (one) => one.title],
    Version: ['number', (one) => String(one.version)],
    Updated: (one) => ago(one.created_at),
  })
