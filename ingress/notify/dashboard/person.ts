import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { UserId } from '#lib/user-id.ts'
import { everything } from '#sql/filters.ts'
import * as events from '#sql/notify/events.ts'
import * as people from '#sql/notify/people.ts'
import * as preferences from '#sql/notify/preferences.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, queryString, quiet } from '../../http/html/html.ts'
import { cutPage } from '../../http/html/paging.ts'
import { actionButton, emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { getPersonKey } from '../mark-items.ts'
import * as operations from '../people.ts'
import { personFields, personInputs, toPerson } from './person-form.ts'
import { personPath, section } from './section.ts'
import { kindTitles } from './step-icons.ts'
import { formatMinutes } from './step-words.ts'
import { renderTimeline, shownEvents } from './timeline.ts'

const params = z.object({ user_id: UserId })

export const one = page({
  path: '/notify/person/{user_id}',
  summary: 'Show a person and what the person received',
  section,
  permission: 'log:read',
  params,
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, region, params: { user_id }, query: { before } }) {
    const key = getPersonKey(member.orgId, user_id)
    const person = await people.find(db, key)
    const held = await preferences.list(db, key, { where: everything, before: undefined, limit: 100 })
    const path = personPath(user_id)
    const mayChange = may('areas:write')
    const withText = may('contents:read')
    const found = await events.listOf(db, key, { before, limit: shownEvents + 1 })
    const { shown, older } = cutPage(found, shownEvents)
    const newest = withText ? 'notify-timeline-text' : 'notify-timeline'
    const timeline = before ? await renderTimeline(db, shown, withText) : await region(`${newest}/${key.user_id}`)
    const buttons =
      mayChange &&
      person &&
      html`<div class="actions"><a class="button" href="${path}/edit">Edit person</a><a class="button" data-confirm href="${path}/delete">Delete<span class="unseen"> person</span></a></div>`
    const main = html`${parentLink('People', '/app/notify/people')}<div class="title"><h1>${person?.name ?? user_id}</h1>${buttons}</div>
${person ? factsOf(person) : html`<p class="notice">This person is not in the directory. Events need the addresses of the person. ${mayChange && html`<a href="${path}/edit">Add the person</a>`}</p>`}
<section><div class="title"><h2>Preferences</h2>${mayChange && html`<a class="button" href="${path}/preferences">Set a preference</a>`}</div>
${held.length === 0 ? emptyState('No preferences. Workflows can use every channel. Events without a workflow go only to the inbox.') : preferenceTable(member, user_id, held, mayChange)}</section>
<section><div class="title"><h2>Timeline</h2><a href="/app/notify/runs${queryString({ user: user_id })}">Runs of this person</a></div>
${timeline}${older(path)}</section>`
    return { title: person?.name ?? user_id, main }
  },
})

function factsOf(person: people.Person): Html {
  const facts: [string, string | Html][] = [
    ['ID', html`<code>${person.subject}</code>`],
    ['Email address', person.email ?? '–'],
    ['Phone number', person.phone ?? '–'],
    ['Push', person.push_app_id ? html`<a href="/app/push/${person.push_app_id}">push app</a>` : '–'],
    ['Language', person.locale ?? '–'],
    ['Time zone', person.time_zone ?? '–'],
    ['Updated', ago(person.updated_at)],
  ]
  return html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${Object.keys(person.data).length > 0 && html`<pre tabindex="0" aria-label="Data">${JSON.stringify(person.data, null, 2)}</pre>`}`
}

const preferenceTable = (
  member: Member,
  userId: string,
  held: readonly preferences.Preference[],
  mayChange: boolean,
): Html =>
  dataTable('Preferences', held, {
    Product: (one) => one.product_key,
    Type: ['break', (one) => (one.type === preferences.anyType ? quiet('all types') : html`<code>${one.type}</code>`)],
    Channels: ['break', (one) => one.channels.map((channel) => kindTitles[channel]).join(', ') || quiet('none')],
    Digest: (one) => (one.digest_minutes === null ? '–' : formatMinutes(one.digest_minutes)),
    Updated: (one) => ago(one.updated_at),
    Actions: mayChange && [
      'actions',
      ({ product_key, type }) =>
        actionButton(member, `${personPath(userId)}/preferences/remove`, 'Remove', {
          of: `preference for ${product_key} ${type}`,
          grave: true,
          fields: { product_key, type },
        }),
    ],
  })

export const { show: askForChange, submit: change } = formPage({
  path: '/notify/person/{user_id}/edit',
  summary: 'Edit a person',
  section,
  permission: 'areas:write',
  params,
  fields: z.object(personFields),
  async view({ db, member, filled, fault, params: { user_id } }) {
    const stored = (await people.find(db, getPersonKey(member.orgId, user_id))) ?? undefined
    const title = stored ? 'Edit person' : 'Add a person'
    const main = html`${parentLink(user_id, personPath(user_id))}<h1>${title}</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${await personInputs(db, member.orgId, filled, stored)}
<p class="actions"><button>Save</button> <a class="button plain" href="${personPath(user_id)}">Cancel</a></p></form>`
    return { title, main }
  },
  async submit({ ask, given, params: { user_id } }) {
    await ask(operations.put, { params: { user_id }, body: toPerson(given) }, z.object({}))
    return { to: personPath(user_id), told: 'Person saved.' }
  },
})

export const { show: askToDelete, submit: remove } = formPage({
  path: '/notify/person/{user_id}/delete',
  summary: 'Delete a person',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({}),
  async view({ db, member, fault, params: { user_id } }) {
    const { subject } = await mustFind(people.find(db, getPersonKey(member.orgId, user_id)), 'person')
    const path = personPath(subject)
    const main = html`${parentLink(subject, path)}${renderFault(fault)}
<form class="question" id="question" method="post" action="${path}/delete">${tokenField(member)}
<h1 id="confirm-title">Delete ${subject}?</h1>
<p>Waiting runs for this person stop. The person leaves all topics. The inbox is kept for as long as events are kept.</p>
<p class="actions"><button class="grave">Delete person</button> <a class="button plain" data-back href="${path}">Cancel</a></p></form>`
    return { title: `Delete ${subject}`, main }
  },
  async submit({ ask, params: { user_id } }) {
    await ask(operations.remove, { params: { user_id } }, z.object({}))
    return { to: '/app/notify/people', told: 'Person deleted.' }
  },
})
