import { z } from 'zod'
import * as channels from '#sql/live/channels.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { checkBoxes, repeatedField, selectField, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { update } from '../channels.ts'
import { recording, section, visibilities } from './channels.ts'

const heights = [
  ['720', '720p', '2.5 Mb/s'],
  ['480', '480p', '1.2 Mb/s'],
  ['360', '360p', '0.7 Mb/s'],
] as const

const slates = [
  ['no', 'the last frame'],
  ['yes', 'a silent slate'],
] as const

export const { show: askForSettings, submit: change } = formPage({
  path: '/live/{channel_id}/settings',
  summary: 'Update a live channel',
  section,
  permission: 'areas:write',
  params: z.object({ channel_id: pathId('live channel') }),
  fields: z.object({
    name: z.string(),
    slug: z.string(),
    visibility: channels.Visibility,
    record: z.enum(['yes', 'no']),
    dvrSeconds: z.coerce.number(),
    renditions: repeatedField(z.enum(['720', '480', '360']).transform(Number)),
    slate: z.enum(['yes', 'no']),
  }),
  async view({ db, member, params: { channel_id: id }, filled, fault }) {
    const channel = await mustFind(channels.find(db, member.orgId, id), 'live channel')
    const path = `${section.path}/${id}`
    const text = (name: 'name' | 'slug', label: string) =>
      textField(filled, { name, label, required: true, otherwise: channel[name] })
    const main = html`${parentLink(channel.name, path)}<h1>Settings</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${text('name', 'Name')}${text('slug', 'Slug')}
${selectField(filled, { name: 'visibility', label: 'Visibility', options: visibilities, otherwise: channel.visibility })}
${selectField(filled, { name: 'record', label: 'Record broadcasts', options: recording, otherwise: channel.record ? 'yes' : 'no' })}
${textField(filled, { name: 'dvrSeconds', label: 'Rewind time in seconds', type: 'number', otherwise: String(channel.dvr_seconds), required: true })}
${checkBoxes(filled, { name: 'renditions', label: 'Renditions', hint: 'Created in addition to the source if their resolution is lower than that of the source and the worker has capacity.', options: heights, otherwise: channel.renditions.map(String) })}
${selectField(filled, { name: 'slate', label: 'While the encoder is disconnected, show', options: slates, otherwise: channel.slate ? 'yes' : 'no' })}
<p class="hint">Changes to recording, rewinding, renditions and the slate apply from the next broadcast.</p>
<p class="actions"><button>Save</button> <a class="button plain" href="${path}">Cancel</a></p></form>`
    return { title: 'Settings', main }
  },
  async submit({ ask, given: { record, slate, ...given }, params: { channel_id: channelId } }) {
    const body = { ...given, record: record === 'yes', slate: slate === 'yes' }
    await ask(update, { params: { channelId }, body }, z.unknown())
    return { to: `${section.path}/${channelId}`, told: 'Channel updated.' }
  },
})
