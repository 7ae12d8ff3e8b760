import { z } from 'zod'
import type { DatabasePool } from '#sql/db.ts'
import * as facts from '#sql/files/images/facts.ts'
import * as presets from '#sql/files/images/presets.ts'
import * as objects from '#sql/files/objects.ts'
import { getServedVersion } from '#sql/files/versions.ts'
import { everything } from '#sql/filters.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import { createRecipe, Transformation, writeRecipe } from '#tasks/files/rules/images/recipe.ts'
import { isTransformable } from '#tasks/files/rules/images/transformable.ts'
import { variantKey } from '#tasks/files/rules/keys.ts'
import type { Services } from '../../http/container.ts'
import { page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { type Html, html } from '../../http/html/html.ts'
import { copyable, emptyState, linkButton } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { getClientSignal } from '../../http/request/client-gone.ts'
import { pathId } from '../../http/request/validate.ts'
import { storage } from '../../http/services.ts'
import { getFileUrl } from '../delivery/urls.ts'
import { presetName } from '../images/params.ts'
import { notTransformable, whyNotTransformable } from '../images/problems.ts'
import { imageVariants } from '../images/variants.ts'
import { section } from './files.ts'
import { section as presetSection } from './image-presets.ts'

/** Number of presets on the page of a file. */
const shownPresets = 20

/** Shows the presets of an image with their URLs and previews. Empty for other files. */
export async function imageSection(
  { db, services, host }: { db: DatabasePool; services: Services; host: string },
  found: objects.FileObject,
  served: objects.FileObject,
): Promise<Html | false> {
  if (served.scan_status !== 'clean' || !isTransformable(served)) return false
  const id = found.version_of ?? found.id
  const all = await presets.list(db, found.org_id, { where: everything, before: undefined, limit: shownPresets })
  const image = await facts.find(db, served.id)
  const base = getFileUrl(host, id, served.filename)
  const size = image?.width ? `${image.width} × ${image.height} pixels. ` : ''
  const table = dataTable('Sizes of the image', all, {
    Preset: (one) => one.name,
    URL: ['break', (one) => copyable(`${base}?preset=${one.name}`, `the URL with the preset ${one.name}`)],
    Preview: (one) => html`<a href="${section.path}/${id}/image/${one.name}">Open preview of ${one.name}</a>`,
  })
  const none = emptyState(
    'No presets yet.',
    'A preset is a named size and format.',
    linkButton(presetSection.path, 'Open image presets'),
  )
  return html`<section aria-labelledby="sizes"><h2 id="sizes">Image sizes</h2>
<p class="lead">${size}${found.visibility === 'private' ? 'The URLs work when the visibility of the file is public or signed.' : 'Pages can use these URLs.'}</p>
${all.length === 0 ? none : table}
${image?.blurhash && html`<p>Blurhash: ${copyable(image.blurhash, 'the blurhash')}</p>`}
${apiCall(services, 'files.images.createUrl', { path: { id } })}</section>`
}

/** Redirects to a stored variant, also of a private file. */
export const previewPreset = page({
  path: '/files/{id}/image/{name}',
  summary: 'Preview an image with a preset',
  section,
  permission: 'contents:read',
  params: z.object({ id: pathId('object'), name: z.string().regex(presetName) }),
  async view({ db, member, doer, ctx, services, params: { id, name } }) {
    const found = await mustFind(objects.find(db, { orgId: member.orgId }, id), 'object')
    const preset = await mustFind(presets.find(db, member.orgId, name), 'preset')
    const served = await getServedVersion(db, found)
    if (served.scan_status !== 'clean' || served.held_key === null || !isTransformable(served))
      throw notTransformable(whyNotTransformable(served))
    const recipe = writeRecipe(createRecipe(Transformation.parse(preset), 1, ctx.get('accept')))
    const version = { version_id: served.id, org_id: member.orgId }
    const variant = await services(imageVariants).obtain(version, recipe, {
      ip: ctx.ip,
      signal: getClientSignal(ctx.res),
    })
    if (variant.state === 'failed') throw notTransformable('The preset makes an image of more than 16 megapixels.')
    await recordContentsRead(db, doer, { kind: 'file', id })
    const key = variant.state === 'made' ? variantKey(served.id, variant.id) : served.held_key
    return { to: await services(storage).signGet(key, 60) }
  },
})
