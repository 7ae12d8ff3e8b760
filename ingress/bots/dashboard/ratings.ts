import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as assignments from '#sql/bots/assignments.ts'
import * as bots from '#sql/bots/bots.ts'
import * as ratingDays from '#sql/bots/rating-days.ts'
import * as rows from '#sql/bots/ratings.ts'
import { whereOf } from '#sql/filters.ts'
import { page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState } from '../../http/html/parts.ts'
import { renderTiles } from '../../http/html/tiles.ts'
import { mustFind } from '../../http/must-find.ts'
import { botView } from './bot-frame.ts'
import { ofBot, pathOf, section } from './section.ts'

const [summaryDays, dayMs, mostGroups, mostMembers] = [90, 86_400_000, 26, 100]

const scores = ['5', '4', '3', '2', '1'] as const

export const listRatings = page({
  path: '/bots/{bot_id}/ratings',
  summary: 'List the ratings of a bot',
  section,
  permission: 'areas:write',
  params: ofBot,
  query: z.object({
    score: optionalField(z.enum(scores)),
    assignee: optionalField(z.union([Id, z.literal('none')])),
    before: Id.optional(),
  }),
  async view({ db, member, may, services, params: { bot_id }, query: { before, ...given } }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const filters = { bot_id: bot.id, assignee_id: given.assignee, score: given.score && Number(given.score) }
    const where = whereOf(rows.filters, { ...filters, score: filters.score || undefined })
    const [found, people, ...groups] = await Promise.all([
      rows.list(db, member.orgId, { where, before, limit: perPage + 1 }),
      assignments.listAssignable(db, member.orgId, mostMembers),
      ...(['bot', 'assignee', 'week'] as const).map((by) => summaryOf(by)),
    ])
    function summaryOf(by: 'bot' | 'assignee' | 'week') {
      const until = new Date()
      const since = new Date(until.getTime() - summaryDays * dayMs)
      return ratingDays.summarise(db, member.orgId, { by, botId: bot.id, since, until, limit: mostGroups })
    }
    const [[all] = [], byAssignee = [], byWeek = []] = groups
    const { shown, older } = cutPage(found)
    const path = `${pathOf(bot.id)}/ratings`
    const names = new Map(people.map(({ user_id, name }) => [user_id, name]))
    const isFiltered = given.score !== undefined || given.assignee !== undefined || before !== undefined
    const none = isFiltered
      ? emptyState('No ratings match these filters.')
      : emptyState(
          'No ratings yet. After a person closes or returns a conversation, the visitor can rate it from 1 to 5.',
        )
    const content = html`<section><h2>Ratings</h2>
${
  all &&
  html`${summary(all, byAssignee, byWeek)}</section>
<section><h2>All ratings</h2>`
}
${filterForm(
  [
    { name: 'score', label: 'Score', options: [...scores] },
    { name: 'assignee', label: 'Assignee', options: [['none', 'nobody'], ...names] },
  ],
  given,
  { clear: path },
)}
${shown.length === 0 ? none : ratingTable(bot.id, shown, names)}${older(path, given)}</section>
${apiCall(services, 'bots.ratings.summarise', { query: { by: 'week', bot_id: bot.id } })}`
    return botView(bot, 'Ratings', may, content)
  },
})

const average = ({ average: value }: ratingDays.Group): string => value.toFixed(2)

const summary = (
  all: ratingDays.Group,
  byAssignee: readonly ratingDays.Group[],
  byWeek: readonly ratingDays.Group[],
): Html => html`${renderTiles([
  [`Average, ${summaryDays} days`, average(all)],
  [`Ratings, ${summaryDays} days`, count(all.ratings)],
  ['Scores 4 and 5', `${Math.round((((all.scores[3] ?? 0) + (all.scores[4] ?? 0)) / all.ratings) * 100)} %`],
])}
</section>
<section><h2>By assignee</h2>${groupTable('Ratings by assignee', 'Assignee', byAssignee, ({ key, name }) => name ?? (key === null ? 'nobody' : 'a deleted user'))}</section>
<section><h2>By week</h2>${groupTable('Ratings by week', 'Week of', byWeek, ({ key }) => key ?? '')}`

const groupTable = (
  caption: string,
  title: string,
  groups: readonly ratingDays.Group[],
  name: (one: ratingDays.Group) => string,
) =>
  dataTable(caption, groups, {
    [title]: (one: ratingDays.Group) => name(one),
    Average: ['number', average],
    Ratings: ['number', (one) => count(one.ratings)],
    'Scores 1 to 5': ['number', (one) => one.scores.map(count).join(' · ')],
  })

const ratingTable = (botId: string, shown: readonly rows.Rating[], names: ReadonlyMap<string, string>): Html =>
  dataTable('Ratings', shown, {
    Score: (one) =>
      html`<a href="${pathOf(botId)}/conversations/${one.conversation_id}">${one.score}<span class="unseen"> of 5</span></a>`,
    Comment: ['break', (one) => one.comment ?? quiet('none')],
    Assignee: [
      'break',
      (one) => (one.assignee_id === null ? quiet('nobody') : (names.get(one.assignee_id) ?? quiet('former member'))),
    ],
    Rated: (one) => ago(one.created_at),
  })
