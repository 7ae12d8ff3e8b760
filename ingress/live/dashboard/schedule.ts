import { z } from 'zod'
import type { Db } from '#sql/db.ts'
import { everything } from '#sql/filters.ts'
import * as channels from '#sql/live/channels.ts'
import * as scheduled from '#sql/live/scheduled.ts'

import { action, formPage } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { optionalField, splitCommaWords, textField } from '../../http/html/form.ts'
import { formatInstant } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { create, remove, update } from '../schedule.ts'
import { section } from './channels.ts'

const params = z.object({ channel_id: pathId('live channel') })
const ofOne = params.extend({ scheduled_id: pathId('scheduled broadcast') })

const pathOf = (id: string): string => `${section.path}/${id}`

/** Number of scheduled broadcasts that the page of a channel shows. */
const shown = 20

type Button = (path: string, words: string, of: string) => Html

/** Renders the scheduled broadcasts of a channel. `button` is undefined for members who cannot change them. */
export async function scheduleSection(db: Db, orgId: string, id: string, button: Button | undefined): Promise<Html> {
  const found = await scheduled.list(db, orgId, id, { before: undefined, limit: shown, where: everything })
  const at = `${pathOf(id)}/schedule`
  return html`<section aria-labelledby="schedule"><h2 id="schedule">Scheduled broadcasts</h2>
${
  found.length === 0
    ? html`<p class="lead">Viewers see a countdown to the next scheduled broadcast.</p>`
    : dataTable({ caption: 'Scheduled broadcasts', key: ({ id: key }) => key }, found, {
        Title: ['break', (one) => one.title],
        Start: (one) => html`${formatInstant(one.starts_at)} UTC`,
        State: (one) => statusBadge(one.state),
        Actions: button && [
          'actions',
          (one) =>
            html`${one.state !== 'started' && html`<a class="button" href="${at}/${one.id}">Change</a>`} ${button(`${at}/${one.id}/remove`, 'Delete', one.title)}`,
        ],
      })
}
${button && html`<p class="actions"><a class="button" href="${at}/new">Schedule broadcast</a></p>`}</section>`
}

const fields = z.object({
  title: z.string(),
  description: z.string(),
  posterUrl: optionalField(z.string()),
  startsAt: z.string(),
  reminderMinutes: z.string(),
  lateMinutes: z.coerce.number(),
})

/** Browsers send the time of `datetime-local` without a time zone. The page uses UTC. */
function bodyOf({ startsAt, reminderMinutes, posterUrl, ...given }: z.output<typeof fields>) {
  return {
    ...given,
    posterUrl: posterUrl ?? null,
    startsAt: /T\d\d:\d\d$/.test(startsAt) ? `${startsAt}:00Z` : startsAt,
    reminderMinutes: splitCommaWords(reminderMinutes).map(Number),
  }
}

type Filled = Parameters<typeof textField>[0]

const form = (filled: Filled, token: Html, back: string, words: string, one?: scheduled.Scheduled): Html =>
  html`<form class="form" method="post">${token}
${textField(filled, { name: 'title', label: 'Title', required: true, otherwise: one?.title ?? '' })}
${textField(filled, { name: 'description', label: 'Description', hint: 'Optional.', otherwise: one?.description ?? '' })}
${textField(filled, { name: 'posterUrl', label: 'Poster URL', hint: 'Optional. HTTPS URL of an image that viewers see before the start.', otherwise: one?.poster_url ?? '' })}
${textField(filled, { name: 'startsAt', label: 'Start (UTC)', type: 'datetime-local', required: true, otherwise: one?.starts_at.toISOString().slice(0, 16) ?? '' })}
${textField(filled, { name: 'reminderMinutes', label: 'Reminders', hint: 'Minutes before the start, separated by commas. For example, 60, 15.', otherwise: one?.reminder_minutes.join(', ') ?? '15' })}
${textField(filled, { name: 'lateMinutes', label: 'Missed after', type: 'number', hint: 'Minutes after the start. If the channel is not live by then, your webhooks are notified.', required: true, otherwise: String(one?.late_minutes ?? 10) })}
<p class="actions"><button>${words}</button> <a class="button plain" href="${back}">Cancel</a></p></form>`

export const { show: askForBroadcast, submit: plan } = formPage({
  path: '/live/{channel_id}/schedule/new',
  summary: 'Schedule a broadcast',
  section,
  permission: 'areas:write',
  params,
  fields,
  async view({ db, member, params: { channel_id: id }, filled, fault }) {
    const { name } = await mustFind(channels.find(db, member.orgId, id), 'live channel')
    const main = html`${parentLink(name, pathOf(id))}<h1>Schedule a broadcast</h1>${renderFault(fault)}
${form(filled, tokenField(member), pathOf(id), 'Schedule broadcast')}`
    return { title: 'Schedule a broadcast', main }
  },
  async submit({ ask, given, params: { channel_id: channelId } }) {
    await ask(create, { params: { channelId }, body: bodyOf(given) }, z.unknown())
    return { to: pathOf(channelId), told: 'Broadcast scheduled.' }
  },
})

export const { show: askForChange, submit: change } = formPage({
  path: '/live/{channel_id}/schedule/{scheduled_id}',
  summary: 'Change a scheduled broadcast',
  section,
  permission: 'areas:write',
  params: ofOne,
  fields,
  async view({ db, member, params: { channel_id: id, scheduled_id }, filled, fault }) {
    const { name } = await mustFind(channels.find(db, member.orgId, id), 'live channel')
    const one = await mustFind(scheduled.find(db, member.orgId, id, scheduled_id), 'scheduled broadcast')
    const main = html`${parentLink(name, pathOf(id))}<h1>Change a scheduled broadcast</h1>${renderFault(fault)}
${form(filled, tokenField(member), pathOf(id), 'Save', one)}`
    return { title: 'Change a scheduled broadcast', main }
  },
  async submit({ ask, given, params: { channel_id: channelId, scheduled_id: scheduledId } }) {
    await ask(update, { params: { channelId, scheduledId }, body: bodyOf(given) }, z.unknown())
    return { to: pathOf(channelId), told: 'Scheduled broadcast changed.' }
  },
})

export const cancel = action({
  path: '/live/{channel_id}/schedule/{scheduled_id}/remove',
  summary: 'Cancel a scheduled broadcast',
  permission: 'areas:write',
  params: ofOne,
  back: ({ channel_id }) => pathOf(channel_id),
  async perform({ ask, params: { channel_id: channelId, scheduled_id: scheduledId } }) {
    await ask(remove, { params: { channelId, scheduledId } }, z.unknown())
    return { to: pathOf(channelId), told: 'Scheduled broadcast deleted.' }
  },
})
