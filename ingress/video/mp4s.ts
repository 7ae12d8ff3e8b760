import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { Db } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import * as mp4s from '#sql/video/mp4s.ts'
import * as renditions from '#sql/video/renditions.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { makeMp4 } from '#tasks/video/make-mp4.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { storage } from '../http/services.ts'
import { assetNotReady } from './assets.ts'

const linkSeconds = 3600

const RenditionName = z.string().regex(/^[a-z0-9_]{1,20}$/, 'must be the name of a rendition, such as `720p`')

const Mp4 = z
  .object({
    assetId: Id,
    rendition: z.string(),
    state: mp4s.table.Row.shape.state,
    bytes: z.int().nullable(),
    url: secret(z.url()).nullable().describe('Valid for one hour. `null` until the file is ready.'),
  })
  .meta({ id: 'video.Mp4' })

/** Returns a rendition of a ready asset. Throws 404 if the asset does not have it. */
async function served(db: Db, orgId: string, assetId: string, rendition: string) {
  const asset = await mustFind(assets.find(db, orgId, assetId), 'asset')
  if (asset.status !== 'ready' || asset.package_id === null)
    throw assetNotReady(`The asset is ${asset.status}.`, { status: asset.status })
  const found = await renditions.listServed(db, assetId)
  if (!found.some(({ name }) => name === rendition)) throw notFound('rendition')
  return { asset, name: { asset_id: assetId, package_id: asset.package_id, rendition } }
}

export const create = route({
  method: 'POST',
  path: '/assets/{assetId}/mp4s',
  summary: 'Create an MP4 of a rendition',
  description:
    'Copies the video and the first audio track of a ready asset into one file. Repeated requests return the same result. A request for a failed file starts it again.',
  scope: 'stream:write',
  beyondContract: true,
  repeatable: true,
  params: z.object({ assetId: Id }),
  body: z.strictObject({
    rendition: RenditionName.describe('Name of a rendition of the asset. For example, `720p` or `audio`.'),
  }),
  status: 201,
  reply: Mp4,
  problems: ['not_found', assetNotReady],
  example: { body: { rendition: '720p' } },
  enqueues: makeMp4,
  async handle({ params: { assetId }, body: { rendition }, org, db, services }) {
    const { asset, name } = await served(db, org.id, assetId, rendition)
    await db.transaction(async (tx) => {
      if (!(await mp4s.request(tx, { ...name, org_id: org.id }))) return
      const payload = { assetId, packageId: name.package_id, rendition }
      await enqueue(tx, makeMp4, payload, { subject: assetId, orgId: asset.org_id, priority: 20 })
    })
    return await present(await mustFind(mp4s.find(db, name), 'file'), services(storage))
  },
})

export const read = route({
  method: 'GET',
  path: '/assets/{assetId}/mp4s/{rendition}',
  summary: 'Read the MP4 of a rendition',
  description: 'Returns the state of the MP4 file and, when it is ready, a signed URL.',
  scope: 'stream:read',
  beyondContract: true,
  params: z.object({ assetId: pathId('asset'), rendition: RenditionName }),
  status: 200,
  reply: Mp4,
  problems: ['not_found', assetNotReady],
  async handle({ params: { assetId, rendition }, org, db, services }) {
    const { name } = await served(db, org.id, assetId, rendition)
    return await present(await mustFind(mp4s.find(db, name), 'file'), services(storage))
  },
})

async function present(row: mp4s.Mp4, store: Storage): Promise<z.input<typeof Mp4>> {
  const { asset_id: assetId, rendition, state, bytes } = row
  const as = { filename: `${assetId}-${rendition}.mp4`, type: 'video/mp4' }
  const url = state === 'ready' ? await store.signSave(mp4s.mp4Key(row), linkSeconds, as) : null
  return { assetId, rendition, state, bytes, url }
}
