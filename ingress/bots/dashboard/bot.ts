import * as rows from '#sql/bots/bots.ts'
import * as counts from '#sql/bots/overview.ts'
import { page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { count, formatInstant } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { copyable } from '../../http/html/parts.ts'
import { byDay, figure } from '../../http/html/plot.ts'
import { renderTiles } from '../../http/html/tiles.ts'
import { mustFind } from '../../http/must-find.ts'
import { botView, engineNote } from './bot-frame.ts'
import { ofBot, pathOf, section } from './section.ts'

const days = 30

export const read = page({
  path: '/bots/{bot_id}',
  summary: 'Show a bot',
  section,
  permission: 'log:read',
  params: ofBot,
  async view({ db, member, may, services, params: { bot_id } }) {
    const bot = await mustFind(rows.find(db, member.orgId, bot_id), 'bot')
    const [has, series] = await Promise.all([
      counts.countsOf(db, { orgId: member.orgId, botId: bot.id }),
      counts.seriesOf(db, { orgId: member.orgId, botId: bot.id }, days),
    ])
    const sum = (of: (day: counts.Day) => number) => series.reduce((total, day) => total + of(day), 0)
    const conversations = sum((day) => day.conversations)
    const mayWrite = may('areas:write')
    const content = html`${bot.tagline !== null && html`<p class="lead">${bot.tagline}</p>`}
${engineNote()}
${mayWrite && conversations === 0 && steps(bot, has.documents)}
${renderTiles([
  ['Documents', link(`${pathOf(bot.id)}/documents`, has.documents)],
  [
    `Conversations, ${days} days`,
    mayWrite ? link(`${pathOf(bot.id)}/conversations`, conversations) : count(conversations),
  ],
  [`Answers, ${days} days`, count(sum((day) => day.answered))],
  ['Unanswered questions', mayWrite ? link(`${pathOf(bot.id)}/questions`, has.unanswered) : count(has.unanswered)],
  ['Waiting for a person', mayWrite ? link(`${section.path}/inbox`, has.waiting) : count(has.waiting)],
])}
${conversations > 0 && html`<section><h2>Activity</h2><div class="plots">${figure(plotOf(series))}</div></section>`}
<section><h2>Details</h2>${facts(bot)}</section>
${mayWrite && apiCall(services, 'bots.chat.create', { path: { botId: bot.id }, body: { message: 'How long do I have to return a bike?' } })}`
    return botView(bot, 'Overview', may, content)
  },
})

const link = (path: string, value: number): Html => html`<a href="${path}">${count(value)}</a>`

const steps = ({ id }: rows.Bot, documents: number): Html => html`<ol class="steps">
${step(documents > 0, 'Add documents', 'Upload a file, paste text or add a URL. The bot quotes its documents.', `${pathOf(id)}/documents`)}
${step(false, 'Try the bot', 'Ask a question and check the sources of the answer.', `${pathOf(id)}/try`)}
${step(false, 'Embed it in a page', 'Create a public key and copy two lines of HTML.', `${pathOf(id)}/embed`)}</ol>`

const step = (done: boolean, title: string, words: string, path: string): Html =>
  html`<li>${done ? html`<svg viewBox="0 0 24 24" role="img" aria-label="Done"><path d="m4 13 5 5L20 6"/></svg>` : html`<span></span>`}<strong>${title}</strong><a class="button" href="${path}">${title}</a><p>${words}</p></li>`

const plotOf = (series: readonly counts.Day[]) => {
  const { time, line } = byDay(series)
  return {
    ...time,
    name: 'bot-answers',
    title: 'Answers by day',
    series: [
      line('conversations', (day) => day.conversations),
      line('answers', (day) => day.answered),
      line('failed', (day) => day.failed, true),
    ],
  }
}

const facts = (bot: rows.Bot): Html => html`<dl class="facts wide">
<div><dt>ID</dt><dd>${copyable(bot.id, 'the ID of the bot')}</dd></div>
<div><dt>Slug</dt><dd>${copyable(bot.slug, 'the slug of the bot')}</dd></div>
<div><dt>Version</dt><dd>${bot.version}</dd></div>
<div><dt>Languages</dt><dd>${bot.languages.length === 0 ? quiet('any') : bot.languages.join(', ')}</dd></div>
<div><dt>Handover</dt><dd>${bot.handover ? 'automatic' : 'manual'}</dd></div>
<div><dt>Data retention</dt><dd>${bot.retention_days === null ? quiet('default') : `${bot.retention_days} days`}</dd></div>
<div><dt>Published</dt><dd>${bot.published_at ? `${formatInstant(bot.published_at)} UTC` : quiet('no')}</dd></div>
<div><dt>Created</dt><dd>${formatInstant(bot.created_at)} UTC</dd></div></dl>`
