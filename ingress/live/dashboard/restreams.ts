import { z } from 'zod'
import * as channels from '#sql/live/channels.ts'
import * as restreams from '#sql/live/restreams.ts'
import { restreamMessage } from '#tasks/live/rules/restream-messages.ts'
import { maxRestreams } from '#tasks/live/rules/restream-target.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { create, getRestreamStatus, remove, update } from '../restreams.ts'
import { section } from './channels.ts'

const params = z.object({ channel_id: pathId('live channel') })
const oneParams = params.extend({ restream_id: pathId('restream') })

const pathOf = (id: string): string => `${section.path}/${id}`

export const { show: askForTarget, submit: add } = formPage({
  path: '/live/{channel_id}/restreams/new',
  summary: 'Add a restream target',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({ name: z.string(), url: z.string(), streamKey: z.string() }),
  async view({ db, member, params: { channel_id: id }, filled, fault }) {
    const { name } = await mustFind(channels.find(db, member.orgId, id), 'live channel')
    const main = html`${parentLink(name, pathOf(id))}<h1>Add a restream target</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true })}
${textField(filled, { name: 'url', label: 'Server', required: true, hint: 'The server URL of the platform: rtmp://… or rtmps://…, without the stream key.' })}
${textField(filled, { name: 'streamKey', label: 'Stream key', required: true, hint: 'The stream key is encrypted and not shown again.' })}
<p class="actions"><button>Add target</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>`
    return { title: 'Add a restream target', main }
  },
  async submit({ ask, given, params: { channel_id: channelId } }) {
    await ask(create, { params: { channelId }, body: given }, z.unknown())
    return { to: pathOf(channelId), told: 'Restream target added.' }
  },
})

const enabling = (path: `/live/{channel_id}/restreams/{restream_id}/${'on' | 'off'}`, enabled: boolean) =>
  action({
    path,
    summary: enabled ? 'Turn on a restream target' : 'Turn off a restream target',
    permission: 'areas:write',
    params: oneParams,
    back: ({ channel_id }) => pathOf(channel_id),
    async perform({ ask, params: { channel_id: channelId, restream_id: restreamId } }) {
      await ask(update, { params: { channelId, restreamId }, body: { enabled } }, z.unknown())
      return { to: pathOf(channelId), told: enabled ? 'Restream target turned on.' : 'Restream target turned off.' }
    },
  })

export const on = enabling('/live/{channel_id}/restreams/{restream_id}/on', true)

/** Disables a target without deleting it. */
export const off = enabling('/live/{channel_id}/restreams/{restream_id}/off', false)

export const forget = action({
  path: '/live/{channel_id}/restreams/{restream_id}/remove',
  summary: 'Delete a restream target',
  permission: 'areas:write',
  params: oneParams,
  back: ({ channel_id }) => pathOf(channel_id),
  async perform({ ask, params: { channel_id: channelId, restream_id: restreamId } }) {
    await ask(remove, { params: { channelId, restreamId } }, z.unknown())
    return { to: pathOf(channelId), told: 'Restream target and its key deleted.' }
  },
})

export async function targetsSection(
  db: Parameters<typeof restreams.list>[0],
  channelId: string,
  button: (path: string, words: string, of: string) => Html,
): Promise<Html> {
  const found = await restreams.list(db, channelId, { before: undefined, limit: maxRestreams })
  const rows = found.map(({ id, name, enabled }) => {
    const path = `${pathOf(channelId)}/restreams/${id}`
    return html`<div><dt>${name}</dt><dd class="actions">${enabled ? button(`${path}/off`, 'Pause', name) : button(`${path}/on`, 'Resume', name)} ${button(`${path}/remove`, 'Delete', name)}</dd></div>`
  })
  const more =
    found.length < maxRestreams &&
    html`<p class="actions"><a class="button" href="${pathOf(channelId)}/restreams/new">Add restream target</a></p>`
  return html`<section><h2>Restreams</h2>${rows.length > 0 && html`<dl class="facts">${rows}</dl>`}${more}</section>`
}

export const targetTable = (found: readonly restreams.RestreamView[]): Html => html`<section><h2>Restream targets</h2>
<table class="data stacks"><caption class="unseen">Restream targets of this channel</caption>
<thead><tr><th scope="col">Target</th><th scope="col">Server</th><th scope="col">State</th></tr></thead>
<tbody>${found.map((one) => {
  const { state, reason } = getRestreamStatus(one)
  const mood = !one.enabled ? 'quiet' : state === 'live' ? 'good' : state === 'failed' ? 'bad' : 'quiet'
  return html`<tr><th scope="row" class="break">${one.name}</th><td data-label="Server" class="break">${one.url}</td>
<td data-label="State"><span class="${mood}">${one.enabled ? state : 'paused'}</span>${reason && html`: <span class="quiet">${restreamMessage(reason)}</span>`}</td></tr>`
})}</tbody></table></section>`
