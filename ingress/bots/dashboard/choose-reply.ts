import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/bots/handovers.ts'
import { page } from '../../http/dashboard/page.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { emptyState, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { list } from '../rendered-replies.ts'
import { inboxPath } from './inbox.ts'
import { ofConversation } from './inbox-conversation.ts'
import { section } from './section.ts'

const Replies = z.object({
  data: z.array(
    z.object({
      id: Id,
      shortcut: z.string(),
      title: z.string(),
      language: z.string().nullable(),
      rendered: z.string(),
    }),
  ),
})

/** Characters that a shortcut can start with. Other text finds nothing. */
const toShortcut = (text: string): string | undefined => {
  const shortcut = text.trim().toLowerCase().replace(/^\//, '')
  return /^([a-z0-9][a-z0-9_-]{0,39})?$/.test(shortcut) ? shortcut : undefined
}

/** Lists canned replies of a conversation. The reply box reads the list from this page. */
export const choose = page({
  path: '/bots/inbox/{conversation_id}/replies',
  summary: 'Choose a canned reply for a conversation',
  section,
  permission: 'areas:write',
  params: ofConversation,
  query: z.object({ q: z.string().max(100).default('') }),
  async view({ db, member, ask, params: { conversation_id: conversationId }, query: { q } }) {
    const { bot_id: botId } = await mustFind(rows.find(db, member.orgId, conversationId), 'conversation')
    const shortcut = toShortcut(q)
    const { data } =
      shortcut === undefined
        ? { data: [] }
        : await ask(list, { params: { botId, conversationId }, query: { shortcut } }, Replies)
    const path = `${inboxPath}/${conversationId}`
    const main = html`${parentLink('Conversation', path)}<h1>Choose a canned reply</h1>
<p class="lead">The text is inserted into the reply box. Nothing is sent.</p>
${filterForm([{ name: 'q', label: 'Shortcut', type: 'search', most: 40 }], { q })}
${data.length === 0 ? emptyState('No canned replies match.', undefined, html`<a class="button" href="${inboxPath}/canned-replies">Canned replies</a>`) : html`<ul class="reply-choices">${data.map((one) => choice(path, one))}</ul>`}`
    return { title: 'Choose a canned reply', main }
  },
})

const choice = (
  path: string,
  { id, shortcut, title, language, rendered }: z.output<typeof Replies>['data'][number],
): Html =>
  html`<li data-reply="${rendered}"><a href="${path}?insert=${id}"><strong>/${shortcut}</strong> ${title}</a>${language !== null && html` ${quiet(language)}`}<p class="reply-text quiet">${rendered}</p></li>`
