import { z } from 'zod'
import * as assets from '#sql/video/assets.ts'
import { shownPosterKey } from '#tasks/video/rules/keys.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { field, optionalField, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { actionButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { storage } from '../../http/services.ts'
import { put, remove } from '../posters.ts'
import { ClockField } from './clock.ts'
import { section, titleOf } from './videos.ts'

const params = z.object({ asset_id: pathId('asset') })

const pathOf = (assetId: string): string => `${section.path}/${assetId}`

/** Maximum size of a form with an image in bytes: base64, percent-encoded. */
const formBytes = 9 * 1024 ** 2

const linkSeconds = 600

export const { show: askForPoster, submit: setPoster } = formPage({
  path: '/videos/{asset_id}/poster',
  summary: 'Show the poster of a video',
  section,
  permission: 'areas:write',
  params,
  formBytes,
  fields: z.object({ time: optionalField(ClockField), imageBase64: optionalField(z.string()) }),
  async view({ db, member, services, params: { asset_id: id }, filled, fault }) {
    const asset = await mustFind(assets.find(db, member.orgId, id), 'asset')
    const store = services(storage)
    const poster = asset.poster && (await store.signGet(shownPosterKey(asset), linkSeconds))
    const issue = filled.faults.imageBase64
    const told = { given: {}, faults: issue === undefined ? {} : { file: issue } }
    const main = html`${parentLink(titleOf(asset), pathOf(id))}<h1>Poster</h1>${renderFault(fault)}
${poster && html`<img class="poster" src="${poster}" alt="Current poster">`}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'time', label: 'Frame at', hint: 'Optional. For example, 1:30 or 90. Or choose an image instead.' })}
<input type="hidden" id="imageBase64" name="imageBase64">
<div data-scripted hidden>${field(told, {
      name: 'file',
      label: 'Image',
      hint: 'JPEG, PNG or WebP of up to 5 MiB.',
      control: (described) =>
        html`<input id="file" type="file" accept="image/jpeg,image/png,image/webp" data-read-into="imageBase64" data-base64${described}>`,
    })}</div>
<p class="actions"><button class="primary">Save poster</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>
${asset.own_poster !== null && html`<section><h2>Automatic poster</h2><p class="lead">Delete your poster to show the automatic poster again.</p>${actionButton(member, `${pathOf(id)}/poster/remove`, 'Delete poster')}</section>`}`
    return { title: 'Poster', main, reaches: { pictures: [store.publicOrigin] } }
  },
  async submit({ ask, params: { asset_id: assetId }, given: { time, imageBase64 } }) {
    const body = { ...(time !== undefined && { time }), ...(imageBase64 !== undefined && { imageBase64 }) }
    await ask(put, { params: { assetId }, body }, z.unknown())
    return { to: pathOf(assetId), told: 'Poster saved.' }
  },
})

export const dropPoster = action({
  path: '/videos/{asset_id}/poster/remove',
  summary: 'Delete the poster of a video',
  permission: 'areas:write',
  params,
  back: ({ asset_id }) => `${pathOf(asset_id)}/poster`,
  async perform({ ask, params: { asset_id: assetId } }) {
    await ask(remove, { params: { assetId } }, z.unknown())
    return { to: pathOf(assetId), told: 'Poster deleted. The automatic poster is shown again.' }
  },
})
