import { z } from 'zod'
import { publicUrl } from '#lib/config.ts'
import { action, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dashboardUrl, ownHost } from '../../http/hosts.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { copyableCode } from '../../http/html/copyable-code.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { type Html, html } from '../../http/html/html.ts'
import { actionButton } from '../../http/html/parts.ts'
import { create } from '../events.ts'
import { createToken } from '../stream.ts'
import { renderTabs, section } from './section.ts'

export const overview = page({
  path: '/notify/inbox',
  summary: 'Show how to embed the inbox',
  section,
  permission: 'log:read',
  async view({ ask, may, member, services, host: origin }) {
    const host = publicUrl()
    const main = html`${renderTabs('Inbox')}
<p class="lead">The element <code>&lt;mill-inbox&gt;</code> shows a bell with the number of unread items, and the inbox. It updates by itself.</p>
${may('areas:write') && servesApi && liveInbox(member, origin, await ask(createToken, { body: { user_id: member.userId, marks: true } }, z.object({ url: z.string() })))}
<section><h2>1. Add the element to your page</h2>${copyableCode(elementOf(host), 'html', 'the HTML')}</section>
<section><h2>2. Create a token on your server</h2>
<p>The element sends a POST request to <code>token-url</code>. Your server creates a token for the signed-in person and responds with <code>{"url": …}</code>. The API key needs the scope <code>notify:write</code>.</p>
<h3>Node</h3>${copyableCode(node, 'js', 'the Node code')}
<h3>Python</h3>${copyableCode(python, 'python', 'the Python code')}
${apiCall(services, 'notify.stream.createToken', { body: { user_id: 'customer-17', marks: true } })}</section>
<section><h2>3. Send an event</h2>
<p>The item appears in the inbox immediately.</p>${apiCall(services, 'notify.events.create', { body: example }, { open: true })}</section>
<section><h2>Attributes and events</h2>${optionTable()}
<p class="more">A Content-Security-Policy needs <code>${host}</code> in <code>script-src</code> and <code>connect-src</code>. <a href="/docs/guides/notify">Guide</a></p></section>`
    return { title: 'Inbox', main }
  },
})

/** True if the pages and the API have the same host, so that a page can load the element. */
const servesApi = dashboardUrl.hostname === ownHost || dashboardUrl.hostname === 'localhost'

const liveInbox = (member: Member, origin: string, { url }: { url: string }): Html =>
  html`<section><div class="title"><h2>Your own inbox</h2>${actionButton(member, '/app/notify/inbox/send', 'Send an item to yourself')}</div>
<div class="live-inbox" data-module="${origin}/v1/notify/element.js"><mill-inbox inline src="${url}"></mill-inbox></div></section>`

/** Product of the items that members send to themselves. */
const testProduct = 'test'

export const send = action({
  path: '/notify/inbox/send',
  summary: 'Send an inbox item to yourself',
  permission: 'areas:write',
  back: () => '/app/notify/inbox',
  async perform({ ask, member }) {
    const body = { product_key: testProduct, type: 'test.item', subject_user_id: member.userId, channels: ['in_app'] }
    const text = { title: 'Hello from Millrace', body: 'You sent this item to yourself.' }
    await ask(create, { body: { ...body, ...text } }, z.object({}))
    return { to: '/app/notify/inbox', told: 'Item sent.' }
  },
})

const elementOf = (host: string): string =>
  `<script type="module" src="${host}/v1/notify/element.js"></script>
<mill-inbox token-url="/my-server/notify-token"></mill-inbox>`

const node = `import { Millrace } from 'millrace'

const client = new Millrace()
app.post('/my-server/notify-token', async (request, response) => {
  const { url } = await client.notify.stream.createToken({ user_id: request.user.id, marks: true })
  response.json({ url })
})`

const python = `from millrace import Millrace

client = Millrace()

@app.post("/my-server/notify-token")
def notify_token():
    return {"url": client.notify.stream.create_token(user_id=current_user.id, marks=True)["url"]}`

const example = {
  ...{ product_key: 'shop', type: 'order.shipped', subject_user_id: 'customer-17', title: 'Your order is on its way' },
}

const options = [
  { name: 'token-url', kind: 'attribute', meaning: 'URL on your server that returns a token' },
  { name: 'src', kind: 'attribute', meaning: 'url of a token, instead of token-url' },
  { name: 'inline', kind: 'attribute', meaning: 'Shows the inbox without a bell' },
  { name: 'theme', kind: 'attribute', meaning: 'light or dark. Default: the setting of the person’s system' },
  { name: 'lang', kind: 'attribute', meaning: 'en or de. Default: the language of the page' },
  { name: 'open', kind: 'event', meaning: 'The person opens an item. Cancel it to navigate yourself.' },
  { name: 'item', kind: 'event', meaning: 'A new item arrived' },
  { name: 'count', kind: 'event', meaning: 'The number of unread items changed' },
  { name: 'expire', kind: 'event', meaning: 'The token in src expired. Set a new one.' },
] as const

const optionTable = (): Html =>
  dataTable('Attributes and events', options, {
    Name: ({ name }) => html`<code>${name}</code>`,
    Kind: ({ kind }) => kind,
    Meaning: ['break', ({ meaning }) => meaning],
  })
