import { z } from 'zod'
import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import * as keys from '#sql/account/keys.ts'
import * as bots from '#sql/bots/bots.ts'
import { whereOf } from '#sql/filters.ts'
import { NewKeyInput } from '#tasks/account/rules/key-input.ts'
import { issueKey } from '#tasks/account/rules/keys.ts'
import { getPublicBase } from '#tasks/video/rules/open-url.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { copyableCode } from '../../http/html/copyable-code.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { linesField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { copyable, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { parseWithFaults } from '../../http/request/issues.ts'
import { botView } from './bot-frame.ts'
import { ofBot, pathOf, section } from './section.ts'

const scope = 'bots:chat'

/** Maximum number of the newest keys of the organisation that the page searches for public keys. */
const mostKeys = 500

const text = z.string().max(10_000).default('')

/** Shows the HTML that embeds a bot, and creates the public key for it. */
export const { show: showEmbed, submit: makePublicKey } = formPage({
  path: '/bots/{bot_id}/embed',
  summary: 'Embed a bot in web pages',
  section,
  permission: 'areas:write',
  stepUp: true,
  params: ofBot,
  fields: z.object({ name: text, origins: text }),
  async view({ db, member, may, services, host, params: { bot_id }, filled, fault }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const known = await bots.findPublicKey(db, member.orgId, bot.id)
    const others = (
      await keys.listPage(db, member.orgId, {
        where: whereOf(keys.filters, { revoked: false }),
        before: undefined,
        limit: mostKeys,
      })
    ).filter(({ prefix, scopes }) => prefix === 'bt_site_' && scopes.includes(scope))
    const content = html`<section><h2>HTML for your page</h2>
${known ? html`<p>Copy these two lines into your page. The key works on ${known.origins?.join(', ')}.</p>` : html`<p>Create a public key first. The key then appears in these two lines.</p>`}
${copyableCode(snippetOf(getPublicBase(host), bot.id, known?.public_key ?? 'bt_site_…'), 'html', 'the HTML')}
<dl class="facts keys"><div><dt>Bot ID</dt><dd>${copyable(bot.id, 'the ID of the bot')}</dd></div>
<div><dt>Public key</dt><dd>${known ? copyable(known.public_key, 'the public key') : quiet('none yet')}</dd></div></dl></section>
<section><h2>${known ? 'Create another public key' : 'Create a public key'}</h2>
<p class="lead">A public key can only talk to the bots of your organisation, and only from the origins that you enter. It is not a secret.</p>${renderFault(fault)}
${
  may('keys:live')
    ? html`<form class="form" method="post">${tokenField(member)}
${linesField(filled, { name: 'origins', label: 'Allowed origins', few: true, required: true, otherwise: known?.origins?.join('\n') ?? '', hint: 'One per line. For example, https://shop.example. Include the port of development servers: http://localhost:3000.' })}
${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: `${bot.name}, web pages`.slice(0, 100), hint: 'Name of the key in the list of API keys.' })}
<button>Create public key</button></form>`
    : html`<p>Your role cannot create keys. Ask a developer or an owner.</p>`
}</section>
${others.length > 0 && html`<section><h2>Public keys for bots</h2>${keyTable(others)}</section>`}
<section><h2>Attributes and events</h2><p>The attributes <code>theme</code> (<code>light</code> or <code>dark</code>) and <code>heading</code> are optional. The element sends the events <code>answer</code> and <code>handover</code>. A Content-Security-Policy must allow ${getPublicBase(host)} in <code>script-src</code> and <code>connect-src</code>.</p></section>
${apiCall(services, 'account.keys.create', { body: { name: 'pages', public: true, scopes: [scope], locks: { origins: known?.origins ?? ['https://shop.example'] } } })}`
    return botView(bot, 'Embed', may, content)
  },
  async submit({ db, doer, member, params: { bot_id }, given: { name, origins } }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const wanted = parseKey({
      name,
      public: true,
      mode: 'live',
      scopes: [scope],
      locks: { origins: origins.split(/[\s,]+/).filter((word) => word !== '') },
    })
    await atFields(
      db.transaction(async (tx) => {
        const { id, secret: value } = await issueKey(tx, doer, wanted)
        await bots.setPublicKey(tx, member.orgId, bot.id, { id, value })
      }),
    )
    return { to: `${pathOf(bot.id)}/embed`, told: 'Public key created. Copy the HTML into your page.' }
  },
})

const snippetOf = (base: string, botId: string, key: string): string =>
  `<script type="module" src="${base}/v1/bots/element.js"></script>\n<mill-bot key="${key}" bot="${botId}"></mill-bot>`

function parseKey(input: unknown): z.output<typeof NewKeyInput> {
  const faults: Fault[] = []
  const parsed = parseWithFaults(NewKeyInput, input, 'body', faults)
  if (faults.length > 0) throw badRequest(faults.map(atField))
  return parsed as z.output<typeof NewKeyInput>
}

const atField = (fault: Fault): Fault => ({ ...fault, field: fault.field.replace(/^body\.locks\./, 'form.') })

async function atFields<T>(work: Promise<T>): Promise<T> {
  return await work.catch((error: unknown) => {
    if (!(error instanceof Problem) || !Array.isArray(error.details)) throw error
    throw new Problem(error.status, error.code, error.message, { details: (error.details as Fault[]).map(atField) })
  })
}

const keyTable = (shown: readonly keys.Key[]): Html =>
  dataTable('Public keys for bots', shown, {
    Key: ({ id, name }) => html`<a href="/app/keys/${id}">${name}</a>`,
    Origins: ['break', ({ locks }) => locks.origins?.join(', ') ?? quiet('none')],
    Created: ({ created_at }) => ago(created_at),
    'Last used': ({ last_used_at }) => ago(last_used_at),
  })
