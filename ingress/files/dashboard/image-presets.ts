import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as presets from '#sql/files/images/presets.ts'
import * as settings from '#sql/files/images/settings.ts'
import { everything } from '#sql/filters.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { checkBoxes } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { html, quiet } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { put, remove } from '../image-presets.ts'
import { update } from '../image-settings.ts'
import { presetName } from '../images/params.ts'
import { newPresetFields, presetFields, presetForm, toBody } from './image-preset-form.ts'

export const section = {
  title: 'Image presets',
  path: '/app/files/image-presets',
  group: 'Files',
  guide: 'files',
} as const satisfies DashboardSection

const { path } = section

const presetPath = (name: string): string => `${path}/${name}`

const boxOf = ({ width, height }: presets.Preset): string =>
  width === null && height === null ? 'original size' : `${width ?? 'auto'} × ${height ?? 'auto'}`

export const overview = page({
  path: '/files/image-presets',
  summary: 'List image presets',
  section,
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, services, query: { before } }) {
    const found = await presets.list(db, member.orgId, { where: everything, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const { only_presets } = await settings.read(db, member.orgId)
    const add = may('areas:write') && linkButton(`${path}/new`, 'Create a preset', { primary: true })
    const table = dataTable('Image presets', shown, {
      Name: [
        'break',
        (one) => (may('areas:write') ? html`<a href="${presetPath(one.name)}">${one.name}</a>` : one.name),
      ],
      Size: (one) => boxOf(one),
      Fit: (one) => one.fit,
      Format: (one) => one.format,
      Quality: (one) => one.quality ?? quiet('default'),
      Updated: (one) => ago(one.updated_at),
    })
    const rule = only_presets
      ? 'Image URLs accept only these presets and signed parameters.'
      : 'Image URLs accept every size and format.'
    const main = html`<div class="title"><h1>Image presets</h1>${add}</div>
<p class="lead">A preset is a named size and format of images. Add <code>?preset=</code> and its name to the URL of an image.</p>
${shown.length === 0 ? emptyState('No presets yet.', 'A preset keeps the size of images out of your pages.', add) : table}
${older(path)}
<section><h2>Allowed parameters</h2><p>${rule}</p>${may('areas:write') && linkButton(`${path}/settings`, 'Change allowed parameters')}</section>
${apiCall(services, 'files.image-presets.put', { path: { name: 'card' } })}`
    return { title: 'Image presets', main }
  },
})

export const { show: askForPreset, submit: add } = formPage({
  path: '/files/image-presets/new',
  summary: 'Create an image preset',
  section,
  permission: 'areas:write',
  fields: newPresetFields,
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Image presets', path)}<h1>Create a preset</h1>${renderFault(fault)}
${presetForm(member, filled, { words: 'Create preset', isNew: true })}`
    return { title: 'Create a preset', main }
  },
  async submit({ db, member, ask, given: { name, ...given } }) {
    if (name === 'new' || name === 'settings')
      throw badRequest([{ field: 'form.name', issue: 'is reserved. Choose another name.' }])
    if (presetName.test(name) && (await presets.find(db, member.orgId, name)))
      throw badRequest([{ field: 'form.name', issue: 'is the name of another preset. Edit that preset.' }])
    await ask(put, { params: { name }, body: toBody(given) }, z.unknown())
    return { to: presetPath(name), told: 'Preset created.' }
  },
})

export const { show: askForRule, submit: setRule } = formPage({
  path: '/files/image-presets/settings',
  summary: 'Choose which image parameters are allowed',
  section,
  permission: 'areas:write',
  fields: z.object({ only_presets: z.string().optional() }),
  async view({ db, member, filled, fault }) {
    const { only_presets } = await settings.read(db, member.orgId)
    const main = html`${parentLink('Image presets', path)}<h1>Allowed parameters</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${checkBoxes(filled, {
  name: 'only_presets',
  label: 'Image URLs',
  hint: 'Without this rule, everyone who knows the URL of an image can request it in any size.',
  options: [['yes', 'Allow only presets and signed parameters']],
  otherwise: only_presets ? ['yes'] : [],
})}
<p class="actions"><button>Save rule</button></p></form>`
    return { title: 'Allowed parameters', main }
  },
  async submit({ ask, given }) {
    await ask(update, { body: { only_presets: given.only_presets === 'yes' } }, z.unknown())
    return { to: path, told: 'Rule saved. It applies within 2 seconds.' }
  },
})

const params = z.object({ name: z.string().regex(presetName) })

export const { show: askForChange, submit: change } = formPage({
  path: '/files/image-presets/{name}',
  summary: 'Edit an image preset',
  section,
  permission: 'areas:write',
  params,
  fields: presetFields,
  async view({ db, member, params: { name }, filled, fault }) {
    const now = await mustFind(presets.find(db, member.orgId, name), 'preset')
    const main = html`${parentLink('Image presets', path)}<div class="title"><h1>${name}</h1><div class="actions"><a class="button" data-confirm href="${presetPath(name)}/delete">Delete<span class="unseen"> preset</span></a></div></div>${renderFault(fault)}
<p class="lead">The page of each image has a preview with this preset.</p>
${presetForm(member, filled, { now, words: 'Save preset', isNew: false })}`
    return { title: name, main }
  },
  async submit({ db, member, ask, params: { name }, given }) {
    await mustFind(presets.find(db, member.orgId, name), 'preset')
    await ask(put, { params: { name }, body: toBody(given) }, z.unknown())
    return { to: path, told: 'Preset saved. Images change within 2 seconds.' }
  },
})

export const { show: askToDelete, submit: drop } = formPage({
  path: '/files/image-presets/{name}/delete',
  summary: 'Delete an image preset',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({}),
  async view({ db, member, params: { name }, fault }) {
    await mustFind(presets.find(db, member.orgId, name), 'preset')
    const main = html`${parentLink(name, presetPath(name))}${renderFault(fault)}
<form class="question" id="question" method="post" action="${presetPath(name)}/delete">${tokenField(member)}
<h1 id="confirm-title">Delete the preset ${name}?</h1>
<p>URLs of images with this preset stop working.</p>
<p class="actions"><button class="grave">Delete preset</button> <a class="button plain" data-back href="${presetPath(name)}">Cancel</a></p></form>`
    return { title: 'Delete preset', main }
  },
  async submit({ ask, params }) {
    await ask(remove, { params }, z.unknown())
    return { to: path, told: 'Preset deleted.' }
  },
})
