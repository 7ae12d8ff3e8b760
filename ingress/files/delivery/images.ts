import { hash } from 'node:crypto'
import type { Context } from 'koa'
import { badRequest, Problem, unavailable } from '#lib/errors.ts'
import type { Deliverable } from '#sql/files/deliveries.ts'
import { createRecipe, type Transformation, writeRecipe } from '#tasks/files/rules/images/recipe.ts'
import { isTransformable } from '#tasks/files/rules/images/transformable.ts'
import { variantKey } from '#tasks/files/rules/keys.ts'
import type { Services } from '../../http/container.ts'
import { getClientSignal } from '../../http/request/client-gone.ts'
import { signingSecret, storage } from '../../http/services.ts'
import { type Asked, type GivenParams, parseParams, readGivenParams } from '../images/params.ts'
import { notTransformable, presetsOnly, whyNotTransformable } from '../images/problems.ts'
import { imageRules } from '../images/rules.ts'
import { readSignedParams } from '../images/signed-params.ts'
import { type FoundVariant, imageVariants } from '../images/variants.ts'
import { setContentHeaders } from './headers.ts'
import { sendStored } from './send.ts'

export type TransformationParams = GivenParams

export const readTransformation = readGivenParams

/**
 * Sends a transformed image. Called after the authority, the name and the host are checked. Returns false if the
 * version is served unchanged.
 */
export async function transformation(
  ctx: Context,
  version: Deliverable,
  params: TransformationParams,
  { services, ip }: { services: Services; ip: string },
): Promise<boolean> {
  const asked = parseParams(params)
  if (asked.kind === 'original') return false
  const wanted = await permitted(asked, version, services)
  if (!isTransformable(version))
    throw notTransformable(whyNotTransformable(version), { detected_type: version.sniffed_type })
  if (wanted.format === 'auto') ctx.vary('Accept')
  const recipe = writeRecipe(createRecipe(wanted, asked.dpr, ctx.get('accept')))
  const variant = await services(imageVariants).obtain(version, recipe, { ip, signal: getClientSignal(ctx.res) })
  if (variant.state === 'failed')
    throw badRequest([
      { field: 'query', issue: 'must request a smaller image: this size and format need too much memory or time' },
    ])
  if (variant.state === 'original') return false
  await sendVariant(ctx, services, { version, variant, recipe }).catch(async (error) => {
    if (!(error instanceof Problem) || error.status !== 404) throw error
    await services(imageVariants).forget(version, recipe)
    throw unavailable('The image is created again. Retry the same request in a moment.', 1)
  })
  return true
}

/** Returns the transformation that the organisation allows. */
async function permitted(
  asked: Exclude<Asked, { kind: 'original' }>,
  version: Deliverable,
  services: Services,
): Promise<Transformation> {
  const rules = services(imageRules)
  if (asked.kind === 'preset') {
    const preset = await rules.findPreset(version.org_id, asked.preset)
    if (!preset) throw badRequest([{ field: 'query.preset', issue: 'must be the name of an existing preset' }])
    return preset
  }
  if (asked.kind === 'signed') {
    const signed = readSignedParams(asked.token, version.object_id, services(signingSecret))
    if (!signed) throw badRequest([{ field: 'query.image', issue: 'must be a signature of this file' }])
    return signed
  }
  if (!(await rules.isOnlyPresets(version.org_id))) return asked.transformation
  throw presetsOnly('Use `?preset=`, or request a signed URL with `POST /v1/files/objects/{id}/image-url`.')
}

async function sendVariant(
  ctx: Context,
  services: Services,
  made: { version: Deliverable; variant: FoundVariant; recipe: string },
): Promise<void> {
  const { version, variant, recipe } = made
  const type = variant.content_type ?? 'application/octet-stream'
  const disposition = new URLSearchParams(ctx.querystring).has('download') ? 'attachment' : 'inline'
  setContentHeaders(ctx, { type, isSafe: true, isInline: true }, disposition, filenameOf(version.filename, type))
  await sendStored(ctx, services(storage), {
    key: variantKey(version.version_id, variant.id),
    bytes: variant.byte_size,
    etag: `"${version.version}-${hash('sha256', `${version.sha256} ${recipe}`).slice(0, 32)}"`,
    modified: new Date(Math.floor((version.uploaded_at?.getTime() ?? 0) / 1000) * 1000),
  })
}

/** Returns the name with the extension of the type, because browsers save the image under it. */
const filenameOf = (filename: string, type: string): string =>
  `${filename.replace(/\.[^.]{1,5}$/, '')}.${type.replace('image/', '').replace('jpeg', 'jpg')}`
