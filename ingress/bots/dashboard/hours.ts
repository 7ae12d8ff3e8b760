import { z } from 'zod'
import { badRequest, Problem } from '#lib/errors.ts'
import * as bots from '#sql/bots/bots.ts'
import * as rows from '#sql/bots/hours.ts'
import { formatOpening } from '#tasks/bots/rules/absence-notice.ts'
import { getAvailability } from '#tasks/bots/rules/office-hours.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { checkBoxes, type FormState, linesField, repeatedField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { remove, update } from '../hours.ts'
import { botView } from './bot-frame.ts'
import { linesOf } from './profile-fields.ts'
import { ofBot, pathOf, section } from './section.ts'

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const

const dayField = (day: number): string => `day_${day}`

const fields = z.object({
  time_zone: z.string().default(''),
  closed_dates: z.string().default(''),
  asks_email: repeatedField(z.string()),
  ...Object.fromEntries(days.map((_, index) => [dayField(index + 1), z.string().default('')])),
})

type Given = z.output<typeof fields> & Record<string, unknown>

/** Reads intervals such as `09:00-12:30, 13:30-17:00`. Throws 400 with the field of each day with another text. */
function readDay(given: Given, day: number): rows.Interval[] {
  return String(given[dayField(day)] ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [from = '', to = '', ...more] = part.split(/[-–]/).map((time) => time.trim())
      if (more.length > 0 || from === '' || to === '')
        throw badRequest([{ field: `form.${dayField(day)}`, issue: 'must be times, such as 09:00-12:30, 13:30-17:00' }])
      return { day, from, to }
    })
}

/** Runs `save` and moves faults of intervals to the field of their day. */
async function atDays<T>(intervals: readonly rows.Interval[], save: Promise<T>): Promise<T> {
  try {
    return await save
  } catch (error) {
    if (!(error instanceof Problem) || !Array.isArray(error.details)) throw error
    throw badRequest(
      (error.details as { field: string; issue: string }[]).map(({ field, issue }) => {
        const [, index] = /^body\.intervals\.(\d+)/.exec(field) ?? []
        const day = index === undefined ? undefined : intervals[Number(index)]?.day
        return { field: day === undefined ? field : `form.${dayField(day)}`, issue }
      }),
    )
  }
}

const textOfDay = (hours: rows.Hours | null, day: number): string =>
  (hours?.intervals ?? [])
    .filter((one) => one.day === day)
    .map(({ from, to }) => `${from}-${to}`)
    .join(', ')

const inputs = (filled: FormState, hours: rows.Hours | null): Html => html`
${textField(filled, { name: 'time_zone', label: 'Time zone', required: true, otherwise: hours?.time_zone ?? 'Europe/Vienna', hint: 'For example, Europe/Vienna.' })}
${days.map((name, index) => textField(filled, { name: dayField(index + 1), label: name, otherwise: hours ? textOfDay(hours, index + 1) : index < 5 ? '09:00-17:00' : '', ...(index === 0 && { hint: 'For example, 09:00-12:30, 13:30-17:00. Leave blank if closed.' }) }))}
${linesField(filled, { name: 'closed_dates', label: 'Closed dates', few: true, otherwise: hours?.closed_dates.join('\n') ?? '', hint: 'Optional. Holidays, one date per line. For example, 2027-12-25.' })}
${checkBoxes(filled, { name: 'asks_email', label: 'Email address', otherwise: (hours?.asks_email ?? true) ? ['yes'] : [], options: [['yes', 'Ask visitors for an email address outside office hours', 'Your team sees the address in the inbox.']] })}`

function standing(hours: rows.Hours): Html {
  const { available, next_open_at } = getAvailability(hours, Date.now())
  if (available) return html`<p>${statusBadge('open')} People reply now.</p>`
  const next = next_open_at && formatOpening('en', hours.time_zone, next_open_at)
  return html`<p>${statusBadge('closed')} ${next === null ? 'There is no next opening.' : `Next opening: ${next}.`}</p>`
}

export const { show: showHours, submit: saveHours } = formPage({
  path: '/bots/{bot_id}/hours',
  summary: 'Set the office hours of a bot',
  section,
  permission: 'areas:write',
  params: ofBot,
  fields,
  async view({ db, member, may, services, params: { bot_id }, filled, fault }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const hours = await rows.find(db, bot.id)
    const content = html`<section><h2>Office hours</h2>
<p class="lead">Outside office hours, a visitor who asks for a person reads when your team is back. The conversation waits in the inbox.</p>
${hours ? standing(hours) : html`<p>The bot has no office hours. It is always open.</p>`}
${renderFault(fault)}<form class="form" method="post">${tokenField(member)}${inputs(filled, hours)}
<button class="primary">Save office hours</button></form></section>
${hours && html`<section><h2>Delete office hours</h2><p>The bot is always open again.</p><p class="spaced">${actionButton(member, `${pathOf(bot.id)}/hours/delete`, 'Delete office hours', { grave: true })}</p></section>`}
${apiCall(services, 'bots.hours.update', { path: { botId: bot.id } })}`
    return botView(bot, 'Hours', may, content)
  },
  async submit({ ask, params: { bot_id: botId }, given }) {
    const intervals = days.flatMap((_, index) => readDay(given as Given, index + 1))
    const { time_zone, closed_dates, asks_email } = given as Given
    const body = { time_zone, intervals, closed_dates: linesOf(closed_dates), asks_email: asks_email.length > 0 }
    await atDays(intervals, ask(update, { params: { botId }, body }, z.object({})))
    return { to: `${pathOf(botId)}/hours`, told: 'Office hours saved.' }
  },
})

export const deleteHours = action({
  path: '/bots/{bot_id}/hours/delete',
  summary: 'Delete the office hours of a bot',
  permission: 'areas:write',
  params: ofBot,
  back: ({ bot_id }) => `${pathOf(bot_id)}/hours`,
  async perform({ ask, params: { bot_id: botId } }) {
    await ask(remove, { params: { botId } }, z.object({}))
    return { to: `${pathOf(botId)}/hours`, told: 'Office hours deleted.' }
  },
})
