import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { Kind } from '#sql/people/timeline.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import { getPersonId } from '#tasks/notify/rules/person-id.ts'
import type { Knowledge } from '#tasks/people/rules/knowledge.ts'
import { readKnowledge } from '#tasks/people/rules/knowledge.ts'
import { page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage } from '../../http/html/paging.ts'
import { emptyState, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { params, personOf } from '../fields.ts'
import { personPath, section } from './section.ts'
import { kindTitles, readEntries, renderEntries, shownEntries, timelineRegion } from './timeline.ts'

export const channelTitles = { email: 'Marketing email', push: 'Push', whatsapp: 'WhatsApp', sms: 'SMS' } as const

export const one = page({
  path: '/person/{user_id}',
  summary: 'Show a person over all areas',
  section,
  permission: 'people:read',
  params,
  query: z.object({ kind: optionalField(Kind), before: Id.optional() }),
  async view({ db, member, may, doer, region, services, params: { user_id }, query: { kind, before } }) {
    const person = personOf(member.orgId, user_id)
    const known = await mustFind(readKnowledge(db, person), 'person')
    const withText = may('contents:read')
    if (withText) await recordContentsRead(db, doer, { kind: 'person', id: getPersonId(user_id) })
    const path = personPath(user_id)
    const name = kind || before ? undefined : timelineRegion(user_id, withText)
    const { shown, older } = cutPage(await readEntries(db, person, { kind, before }), shownEntries)
    const buttons =
      may('people:write') &&
      html`<div class="actions"><a class="button" href="${path}/consent">Change consent</a><a class="button" href="${path}/erase">Erase<span class="unseen"> person</span></a></div>`
    const main = html`${parentLink('People', section.path)}<div class="title"><h1>${known.directory?.name ?? user_id}</h1>${buttons}</div>
${factsOf(known)}
<section><h2>Consent</h2>${consentTable(known)}</section>
<section><h2>Addresses</h2>${addressTable(known)}</section>
<section><h2>Devices</h2>${deviceTable(known)}</section>
<section><h2>Timeline</h2>
${filterForm([{ name: 'kind', label: 'Kind', options: Kind.options.map((one) => [one, kindTitles[one]] as const) }], { kind }, { clear: path })}
${name ? await region(name) : renderEntries(shown, withText)}${older(path, { kind })}</section>
${apiCall(services, 'people.timeline.list', { path: { user_id } })}`
    return { title: known.directory?.name ?? user_id, main }
  },
})

function factsOf({ keys, directory, preferences, checks }: Knowledge): Html {
  const facts: [string, string | Html][] = [
    ['ID', html`<code>${keys.user_id}</code>`],
    ['Language', directory?.locale ?? '–'],
    ['Time zone', directory?.time_zone ?? '–'],
    ['Preferences', preferences.map((one) => `${one.type}: ${one.channels.join(', ') || 'none'}`).join('; ') || '–'],
    ['Verifications', checks.map((one) => `${one.requirement}: ${one.status}`).join('; ') || '–'],
  ]
  return html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

const consentTable = ({ consent }: Knowledge): Html =>
  dataTable('Consent', Object.entries(consent), {
    Channel: ([channel]) => channelTitles[channel as keyof typeof channelTitles],
    State: ([, { state }]) => statusBadge(state),
    Source: ['break', ([, { source }]) => source ?? '–'],
    Since: ([, { at }]) => ago(at),
  })

function addressTable({ emails, phones, contacts }: Knowledge): Html {
  const statuses = new Map(contacts.map(({ email, id, status }) => [email, { id, status }]))
  const all = [...emails, ...phones]
  if (all.length === 0) return emptyState('No addresses.', 'Add the person to the directory, or link a contact.')
  return dataTable('Addresses', all, {
    Address: (one) => one.address,
    Sources: ['break', (one) => one.sources.join(', ')],
    Verified: (one) => (one.verified ? statusBadge('verified') : quiet('no')),
    Contact: (one) => {
      const contact = statuses.get(one.address)
      return contact ? html`<a href="/app/contacts/${contact.id}">${statusBadge(contact.status)}</a>` : '–'
    },
    Shared: (one) =>
      one.shared ? html`${statusBadge('different', { shown: 'also of another person' })}` : quiet('no'),
  })
}

function deviceTable({ devices, pushUsers }: Knowledge): Html {
  if (devices.length === 0) return emptyState('No devices.', 'Devices appear when an app registers them for this ID.')
  const ids = new Map(pushUsers.map(({ id, user_id }) => [id, user_id]))
  return dataTable('Devices', devices, {
    Device: (one) => html`<a href="/app/push/${one.app_id}/installations">${one.platform ?? one.provider}</a>`,
    Provider: (one) => one.provider,
    'ID in the app': ['break', (one) => ids.get(one.push_user_id) ?? '–'],
    Status: (one) => one.status,
    Registered: (one) => ago(one.registered_at),
  })
}
