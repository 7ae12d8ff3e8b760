import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as assets from '#sql/video/assets.ts'
import { previewKey } from '#tasks/video/rules/keys.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { optionalField, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { actionButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { storage } from '../../http/services.ts'
import { create } from '../clips.ts'
import { put as putPreview, remove as removePreview } from '../previews.ts'
import { ClockField, writeClock } from './clock.ts'
import { section, titleOf } from './videos.ts'

const params = z.object({ asset_id: pathId('asset') })

/** Lifetime in seconds of the URL of the preview on its page. */
const linkSeconds = 600

const pathOf = (assetId: string): string => `${section.path}/${assetId}`

export const { show: askForClip, submit: cutClip } = formPage({
  path: '/videos/{asset_id}/clip',
  summary: 'Cut a clip from a video',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({ start: ClockField, end: ClockField, title: optionalField(z.string()) }),
  async view({ db, member, params: { asset_id: id }, filled, fault }) {
    const asset = await mustFind(assets.find(db, member.orgId, id), 'asset')
    const length = writeClock(asset.duration_seconds ?? 0)
    const main = html`${parentLink(titleOf(asset), pathOf(id))}<h1>Cut a clip</h1>${renderFault(fault)}
<p class="lead">A clip is a new video with exactly the frames of this time range. It can be up to 30 minutes long.</p>
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'start', label: 'Start', hint: 'For example, 1:30 or 90.', otherwise: '0:00', required: true })}
${textField(filled, { name: 'end', label: 'End', hint: `The video ends at ${length}.`, otherwise: length, required: true })}
${textField(filled, { name: 'title', label: 'Title', hint: 'Optional. Leave blank to use the title of the video.' })}
<p class="actions"><button class="primary">Cut clip</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>`
    return { title: 'Cut a clip', main }
  },
  async submit({ ask, params: { asset_id: assetId }, given }) {
    const clip = await ask(create, { params: { assetId }, body: given }, z.object({ assetId: Id }))
    return { to: pathOf(clip.assetId), told: 'Clip created. You can watch it within seconds.' }
  },
})

export const { show: askForPreview, submit: makePreview } = formPage({
  path: '/videos/{asset_id}/preview',
  summary: 'Show the settings of the animated preview',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({
    start: ClockField,
    duration: z.coerce.number(),
    width: z.coerce.number(),
    fps: z.coerce.number(),
  }),
  async view({ db, member, services, params: { asset_id: id }, filled, fault }) {
    const asset = await mustFind(assets.find(db, member.orgId, id), 'asset')
    const store = services(storage)
    const { preview } = asset
    const image = preview?.state === 'ready' && (await store.signGet(previewKey(id, preview.id), linkSeconds))
    const { start = 0, duration = 3, width = 320, fps = 10 } = preview ?? {}
    const main = html`${parentLink(titleOf(asset), pathOf(id))}<h1>Animated preview</h1>${renderFault(fault)}
<p class="lead">A short animation without sound, as a WebP image. Viewers can load it where they can load the poster.</p>
${image && html`<img class="poster" src="${image}" alt="Current preview">`}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'start', label: 'Start', hint: 'For example, 1:30 or 90.', otherwise: writeClock(start), required: true })}
${textField(filled, { name: 'duration', label: 'Seconds', hint: '0.5 to 10.', otherwise: String(duration), required: true })}
${textField(filled, { name: 'width', label: 'Width in pixels', hint: '64 to 640.', otherwise: String(width), required: true })}
${textField(filled, { name: 'fps', label: 'Frames per second', hint: '1 to 20.', otherwise: String(fps), required: true })}
<p class="actions"><button class="primary">Create preview</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>
${preview && html`<section><h2>Delete</h2><p class="lead">Viewers can then no longer load the preview.</p><div class="actions">${actionButton(member, `${pathOf(id)}/preview/remove`, 'Delete preview')}</div></section>`}`
    return { title: 'Animated preview', main, reaches: { pictures: [store.publicOrigin] } }
  },
  async submit({ ask, params: { asset_id: assetId }, given }) {
    await ask(putPreview, { params: { assetId }, body: given }, z.unknown())
    return { to: pathOf(assetId), told: 'Preview requested. It is ready within seconds.' }
  },
})

export const dropPreview = action({
  path: '/videos/{asset_id}/preview/remove',
  summary: 'Delete the animated preview of a video',
  permission: 'areas:write',
  params,
  back: ({ asset_id }) => `${pathOf(asset_id)}/preview`,
  async perform({ ask, params: { asset_id: assetId } }) {
    await ask(removePreview, { params: { assetId } }, z.unknown())
    return { to: pathOf(assetId), told: 'Preview deleted.' }
  },
})
