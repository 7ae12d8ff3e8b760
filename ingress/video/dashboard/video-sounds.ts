import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { everything } from '#sql/filters.ts'
import * as assets from '#sql/video/assets.ts'
import * as soundRows from '#sql/video/sounds.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { optionalField, selectField, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { create, remove } from '../sounds.ts'
import { section, titleOf } from './videos.ts'

const params = z.object({ asset_id: pathId('asset') })

const pathOf = (assetId: string): string => `${section.path}/${assetId}`

/** Number of assets among which the form offers the ones that have an audio track of their own. */
const newest = 100

export const { show: askForSound, submit: addSound } = formPage({
  path: '/videos/{asset_id}/sounds',
  summary: 'Show the audio tracks of a video',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({
    sourceAssetId: Id,
    language: z.string(),
    name: optionalField(z.string()),
    default: z.string().optional(),
  }),
  async view({ db, member, params: { asset_id: id }, filled, fault }) {
    const asset = await mustFind(assets.find(db, member.orgId, id), 'asset')
    const page = { where: everything, metadata: undefined, before: undefined, limit: newest }
    const sources = (await assets.list(db, member.orgId, page)).filter((one) => one.status === 'ready' && one.id !== id)
    // Audio files come first, because they are usually meant.
    const options = sources
      .toSorted((a, b) => Number(a.width !== null) - Number(b.width !== null))
      .map((one) => [one.id, titleOf(one)] as const)
    const tracks = await soundRows.list(db, member.orgId, id)
    const form = html`<form class="form" method="post">${tokenField(member)}
${selectField(filled, { name: 'sourceAssetId', label: 'Audio', hint: 'Upload the audio under Videos first. You can delete that upload when the track is ready.', options })}
${textField(filled, { name: 'language', label: 'Language', hint: 'For example, en, de or pt-BR.', required: true })}
${textField(filled, { name: 'name', label: 'Name in players', hint: 'Optional. Leave blank to use the language name.' })}
<div class="field"><label><input type="checkbox" name="default" value="yes"${filled.given.default !== undefined && html` checked`}> Default track</label></div>
<p class="actions"><button class="primary">Add audio track</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>`
    const main = html`${parentLink(titleOf(asset), pathOf(id))}<h1>Audio tracks</h1>${renderFault(fault)}
${tracks.length > 0 && html`<ul class="groups">${tracks.map((track) => html`<li>${track.name ?? track.language} <span class="quiet">${track.language}${track.is_default && ', default'}</span> ${statusBadge(track.state)}${track.failure_summary && html` <span class="quiet">${track.failure_summary}</span>`} ${actionButton(member, `${pathOf(id)}/sounds/remove`, 'Delete', { of: track.language, fields: { soundId: track.id } })}</li>`)}</ul>`}
<h2>Add an audio track</h2>
${options.length === 0 ? emptyState('No other uploads yet.', 'Upload the audio under Videos first.') : form}`
    return { title: 'Audio tracks', main }
  },
  async submit({ ask, params: { asset_id: assetId }, given: { default: isDefault, ...track } }) {
    const body = { ...track, default: isDefault !== undefined }
    await ask(create, { params: { assetId }, body }, z.unknown())
    return { to: pathOf(assetId), told: 'Audio track requested. Players offer it when it is ready.' }
  },
})

export const dropSound = action({
  path: '/videos/{asset_id}/sounds/remove',
  summary: 'Delete an audio track',
  permission: 'areas:write',
  params,
  fields: z.object({ soundId: z.string() }),
  back: ({ asset_id }) => `${pathOf(asset_id)}/sounds`,
  async perform({ ask, given: { soundId }, params: { asset_id: assetId } }) {
    await ask(remove, { params: { assetId, soundId } }, z.unknown())
    return { to: `${pathOf(assetId)}/sounds`, told: 'Audio track deleted.' }
  },
})
