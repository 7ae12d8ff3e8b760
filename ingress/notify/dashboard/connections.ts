import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { everything } from '#sql/filters.ts'
import * as rows from '#sql/notify/connections.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { checkBoxes, repeatedField, selectField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton, parentLink, renderFault, showSecretOnce, tokenField } from '../../http/html/parts.ts'
import { create } from '../connections.ts'
import { connectionsPath, renderTabs, section } from './section.ts'
import { kindTitles, stepIcon } from './step-icons.ts'

export const list = page({
  path: '/notify/connections',
  summary: 'List chat connections',
  section,
  permission: 'log:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, query: { before } }) {
    const found = await rows.list(db, member.orgId, { where: everything, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const add = may('areas:write') && linkButton(`${connectionsPath}/new`, 'Connect a channel', { primary: true })
    const main = html`${renderTabs('Chat', shown.length > 0 && add)}
${shown.length === 0 ? emptyState('Your chat connections appear here.', 'Workflows can then post to Slack, Microsoft Teams, Discord or any URL.', add) : connectionTable(shown)}${older(connectionsPath)}`
    return { title: 'Chat connections', main }
  },
})

const connectionTable = (shown: readonly rows.Facts[]): Html =>
  dataTable('Chat connections', shown, {
    Connection: (one) =>
      html`<a href="${connectionsPath}/${one.id}">${one.name}</a>${one.is_default && html` ${quiet('default')}`}`,
    Kind: (one) => html`${stepIcon(one.kind)} ${kindTitles[one.kind]}`,
    State: [
      'break',
      (one) => html`${statusBadge(one.state)}${one.reason && html` <span class="quiet">${one.reason}</span>`}`,
    ],
    Host: ['break', (one) => one.host],
    Created: (one) => ago(one.created_at),
  })

export const { show: ask, submit: add } = formPage({
  path: '/notify/connections/new',
  summary: 'Connect a chat channel',
  section,
  permission: 'areas:write',
  fields: z.object({
    kind: rows.ChatChannel,
    name: z.string().default(''),
    url: z.string().default(''),
    default: repeatedField(z.string()),
  }),
  async view({ member, filled, fault }) {
    const options = rows.ChatChannel.options.map((kind) => [kind, kindTitles[kind]] as const)
    const main = html`${parentLink('Chat', connectionsPath)}<h1>Connect a channel</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${selectField(filled, { name: 'kind', label: 'Kind', options })}
${textField(filled, { name: 'name', label: 'Name', required: true, hint: 'For example, #orders.' })}
${textField(filled, { name: 'url', label: 'URL', type: 'url', required: true, hint: 'Incoming webhook of the channel. It is encrypted and never shown again.' })}
${checkBoxes(filled, { name: 'default', label: 'Default', options: [['yes', 'Use it for people without their own connection of this kind']] })}
<p class="hint">Millrace sends a test message to the URL.</p>
<p class="actions"><button>Connect</button> <a class="button plain" href="${connectionsPath}">Cancel</a></p></form>
<section><h2>Where to find the URL</h2><ul>
<li><b>Slack</b>: create an app at api.slack.com, activate Incoming Webhooks, and add a webhook to the channel.</li>
<li><b>Microsoft Teams</b>: in the channel, open Workflows and choose “Post to a channel when a webhook request is received”.</li>
<li><b>Discord</b>: in the settings of the channel, open Integrations → Webhooks and copy the URL.</li>
<li><b>URL</b>: any URL of your server. Requests are signed in the format of Standard Webhooks.</li></ul></section>`
    return { title: 'Connect a channel', main }
  },
  async submit({ ask: call, given }) {
    const body = { ...given, url: given.url.trim(), default: given.default.length > 0 }
    const made = await call(create, { body }, z.object({ id: z.string(), secret: z.string().nullable() }))
    const path = `${connectionsPath}/${made.id}`
    if (made.secret === null) return { to: path, told: 'Channel connected. A test message is sent.' }
    const main = html`${parentLink('Chat', connectionsPath)}<h1>URL connected</h1>
${showSecretOnce(made.secret, 'The secret that signs the requests is shown only once.')}
<p class="actions">${linkButton(path, 'Show connection')}</p>`
    return { view: { title: 'Connected', main } }
  },
})
