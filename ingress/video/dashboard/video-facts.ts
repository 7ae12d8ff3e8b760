import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as assets from '#sql/video/assets.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { linesField, optionalField, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { readMetadata, writeMetadata } from '../../http/html/metadata-lines.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { setVisibility } from '../assets.ts'
import { start } from '../imports.ts'
import { section, titleOf } from './videos.ts'

const params = z.object({ asset_id: pathId('asset') })

export const { show, submit } = formPage({
  path: '/videos/{asset_id}/facts',
  summary: 'Show the details of a video',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({
    title: optionalField(z.string()),
    description: optionalField(z.string()),
    externalRef: optionalField(z.string()),
    metadata: z.string().default(''),
  }),
  async view({ db, member, params: { asset_id: id }, filled, fault }) {
    const asset = await mustFind(assets.find(db, member.orgId, id), 'asset')
    const main = html`${parentLink(titleOf(asset), `${section.path}/${id}`)}<h1>Details</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'title', label: 'Title', otherwise: asset.title ?? '' })}
${linesField(filled, { name: 'description', label: 'Description', otherwise: asset.description ?? '', prose: true })}
${textField(filled, { name: 'externalRef', label: 'Your reference', hint: 'Optional. The ID of the video in your own system.', otherwise: asset.external_ref ?? '' })}
${linesField(filled, { name: 'metadata', label: 'Metadata', hint: 'One entry per line: key = value.', otherwise: writeMetadata(asset.metadata) })}
<p class="actions"><button class="primary">Save</button></p></form>`
    return { title: 'Details', main }
  },
  async submit({ db, ask, member, params: { asset_id: assetId }, given }) {
    const { title = null, description = null, externalRef = null } = given
    const { metadata: before } = await mustFind(assets.find(db, member.orgId, assetId), 'asset')
    const body = { title, description, externalRef, metadata: readMetadata(given.metadata, before) }
    await ask(setVisibility, { params: { assetId }, body }, z.unknown())
    return { to: `${section.path}/${assetId}`, told: 'Details saved.' }
  },
})

export const { show: askForAddress, submit: startImport } = formPage({
  path: '/videos/import',
  summary: 'Import a video from a URL',
  section,
  permission: 'areas:write',
  fields: z.object({ url: z.string(), title: optionalField(z.string()) }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Videos', section.path)}<h1>Import a video</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'url', label: 'File URL', type: 'url', required: true, hint: 'This server downloads the file. The URL must be public.' })}
${textField(filled, { name: 'title', label: 'Title', hint: 'Optional. Leave blank to use the file name.' })}
<p class="actions"><button class="primary">Import video</button></p></form>`
    return { title: 'Import a video', main }
  },
  async submit({ ask, given: { url, title } }) {
    const { assetId } = await ask(start, { body: { url, title } }, z.object({ assetId: Id }))
    return { to: `${section.path}/${assetId}`, told: 'Import started.' }
  },
})
