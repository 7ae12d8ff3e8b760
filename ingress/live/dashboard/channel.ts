import { z } from 'zod'
import * as channels from '#sql/live/channels.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import { action, formPage, page } from '../../http/dashboard/page.ts'
import { selectField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { actionButton, copyable, parentLink, renderFault, showSecretOnce, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { end } from '../broadcasts.ts'
import { remove } from '../channels.ts'
import { rotate } from '../keys.ts'
import { mint } from '../playback-sessions.ts'
import { channelEmbed, publishSteps } from './channel-parts.ts'
import { section } from './channels.ts'
import { targetsSection } from './restreams.ts'
import { scheduleSection } from './schedule.ts'

const params = z.object({ channel_id: pathId('live channel') })

const pathOf = (id: string): string => `${section.path}/${id}`

export const read = page({
  path: '/live/{channel_id}',
  summary: 'Show a live channel',
  section,
  params,
  async view({ db, member, may, region, host, services, params: { channel_id: id } }) {
    const channel = await mustFind(channels.find(db, member.orgId, id), 'live channel')
    const main = html`${parentLink('Live', section.path)}<div class="title"><h1>${channel.name}</h1><div class="actions spaced">${may('contents:read') && html`<a class="button primary" href="${pathOf(id)}/watch">Watch</a>`}${
      may('areas:write') && html`<a class="button" href="${pathOf(id)}/settings">Settings</a>`
    }${may('contents:read') && html`<a class="button" href="${pathOf(id)}/chat">Chat</a>`}${may('areas:write') && actionButton(member, `${pathOf(id)}/clip`, 'Clip last minute')}${may('areas:write') && actionButton(member, `${pathOf(id)}/end`, 'End broadcast')}</div></div>
${await region(`channel/${id}`)}
${may('areas:write') && publishSteps(host, id)}
${may('areas:write') && (await targetsSection(db, id, (path, words, of) => actionButton(member, path, words, { of })))}
${await scheduleSection(db, member.orgId, id, may('areas:write') ? (path, words, of) => actionButton(member, path, words, { of }) : undefined)}
${await channelEmbed({ db, host, member, services }, channel)}
${may('areas:write') && html`<section><h2>Delete channel</h2><p class="lead">Publishers and viewers are disconnected. Recordings are kept.</p><a class="button" href="${pathOf(id)}/remove">Delete channel</a></section>`}`
    return { title: channel.name, main }
  },
})

export const watch = page({
  path: '/live/{channel_id}/watch',
  summary: 'Watch a live channel',
  section,
  permission: 'contents:read',
  params,
  async view({ db, member, doer, ask, params: { channel_id: channelId } }) {
    const { name } = await mustFind(channels.find(db, member.orgId, channelId), 'live channel')
    const { embedUrl } = await ask(mint, { params: { channelId }, body: {} }, z.object({ embedUrl: z.url() }))
    await recordContentsRead(db, doer, { kind: 'live_channel', id: channelId })
    const main = html`${parentLink(name, pathOf(channelId))}<h1>${name}</h1>
<iframe class="player" src="${embedUrl}" title="Player" allow="fullscreen; autoplay"></iframe>`
    return { title: name, main, reaches: { frames: [new URL(embedUrl).origin] } }
  },
})

const which = [
  ['primary', 'the primary key'],
  ['backup', 'the backup key'],
  ['srt', 'the SRT passphrase'],
] as const

export const { show: askForKey, submit: renew } = formPage({
  path: '/live/{channel_id}/key',
  summary: 'Replace the stream key',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({ which: z.enum(['primary', 'backup', 'srt']) }),
  async view({ db, member, params: { channel_id: id }, filled, fault }) {
    const { name } = await mustFind(channels.find(db, member.orgId, id), 'live channel')
    const main = html`${parentLink(name, pathOf(id))}<h1>Replace the stream key</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${selectField(filled, { name: 'which', label: 'Key to replace', options: which, hint: 'Publishers that use the old key are disconnected within three seconds.' })}
<p class="actions"><button>Replace stream key</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>`
    return { title: 'Replace the stream key', main }
  },
  async submit({ db, member, ask, given, params: { channel_id: channelId } }) {
    const { name } = await mustFind(channels.find(db, member.orgId, channelId), 'live channel')
    const Rotated = z.object({ streamKey: z.string(), url: z.string() })
    const { streamKey, url } = await ask(rotate, { params: { channelId }, body: given }, Rotated)
    const main = html`${parentLink(name, pathOf(channelId))}<h1>${name}</h1>
${showSecretOnce(streamKey, 'The key is not shown again. The previous key no longer works.')}
<p class="lead">Complete URL, for encoders with a single field:</p><p>${copyable(url, 'the complete URL')}</p>`
    return { view: { title: name, main } }
  },
})

export const stop = action({
  path: '/live/{channel_id}/end',
  summary: 'End a broadcast',
  permission: 'areas:write',
  params,
  back: ({ channel_id }) => pathOf(channel_id),
  async perform({ ask, params: { channel_id: channelId } }) {
    const { holdSeconds } = await ask(end, { params: { channelId }, body: {} }, z.object({ holdSeconds: z.int() }))
    return { to: pathOf(channelId), told: `Broadcast ended. Publishers are rejected for ${holdSeconds} seconds.` }
  },
})

export const { show: askToRemove, submit: drop } = formPage({
  path: '/live/{channel_id}/remove',
  summary: 'Delete a live channel',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({}),
  async view({ db, member, params: { channel_id: id }, fault }) {
    const { name } = await mustFind(channels.find(db, member.orgId, id), 'live channel')
    const main = html`${parentLink(name, pathOf(id))}<h1>Delete ${name}?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>A broadcast in progress ends, and the stream keys stop working. Recordings are kept in Videos.</p>
<p class="actions"><button class="grave">Delete channel</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>`
    return { title: `Delete ${name}`, main }
  },
  async submit({ ask, params: { channel_id: channelId } }) {
    await ask(remove, { params: { channelId } }, z.unknown())
    return { to: section.path, told: 'Channel deleted.' }
  },
})
