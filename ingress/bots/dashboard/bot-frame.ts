import { config } from '#lib/config.ts'
import type { Bot } from '#sql/bots/bots.ts'
import type { Permission } from '#tasks/account/rules/roles.ts'
import { type Content, type Html, html } from '../../http/html/html.ts'
import type { View } from '../../http/html/layout.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { parentLink } from '../../http/html/parts.ts'
import { pathOf, section } from './section.ts'

const tabs = [
  { path: '', title: 'Overview', permission: 'log:read' },
  { path: '/instructions', title: 'Instructions', permission: 'areas:write' },
  { path: '/documents', title: 'Documents', permission: 'log:read' },
  { path: '/try', title: 'Try it', permission: 'areas:write' },
  { path: '/embed', title: 'Embed', permission: 'areas:write' },
  { path: '/questions', title: 'Questions', permission: 'areas:write' },
  { path: '/conversations', title: 'Conversations', permission: 'areas:write' },
  { path: '/channels', title: 'Channels', permission: 'log:read' },
  { path: '/ratings', title: 'Ratings', permission: 'areas:write' },
  { path: '/hours', title: 'Hours', permission: 'areas:write' },
  { path: '/actions', title: 'Actions', permission: 'log:read' },
  { path: '/settings', title: 'Settings', permission: 'areas:write' },
] as const satisfies readonly { path: string; title: string; permission: Permission }[]

type Tab = (typeof tabs)[number]['title']

/** Renders a page of a bot: the name, the tabs that the member can open, and the content. */
export function botView(bot: Bot, tab: Tab, may: (permission: Permission) => boolean, content: Content): View {
  const links = tabs
    .filter(({ permission }) => may(permission))
    .map(
      ({ path, title }) =>
        html`<li><a href="${pathOf(bot.id)}${path}"${title === tab && html` aria-current="page"`}>${title}</a></li>`,
    )
  const main = html`${parentLink('Bots', section.path)}<h1>${bot.name} ${botState(bot)}</h1>
<nav class="tabs" aria-label="Pages of the bot"><ul>${links}</ul></nav>
${content}`
  return { title: tab === 'Overview' ? bot.name : `${tab} · ${bot.name}`, main }
}

/** Shows if a bot is published. A draft is visible only to its organisation. */
export const botState = ({ published_at }: Pick<Bot, 'published_at'>): Html =>
  statusBadge(published_at ? 'published' : 'draft')

export const engineNote = (): Html | undefined =>
  config.AI_ENGINE === 'upstream'
    ? undefined
    : html`<p class="note" role="note"><strong>This bot uses the embedded engine.</strong> It quotes sentences from the bot’s documents, names passages that may help, or returns the bot’s fallback. It can’t follow the bot’s instructions, make small talk or write its own sentences. For that, an operator must connect a model (<code>AI_ENGINE=upstream</code>).</p>`
