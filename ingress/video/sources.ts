import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import * as assets from '#sql/video/assets.ts'
import { sourceKey } from '#sql/video/uploads.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { storage } from '../http/services.ts'
import { assetNotReady } from './assets.ts'

/** Time to live of the URL in seconds (spec 8). */
const sourceSeconds = 60

export const read = route({
  method: 'GET',
  path: '/assets/{assetId}/source',
  summary: 'Create a download URL for the original',
  description: 'The URL is valid for one minute. Use it only on your server.',
  scope: 'stream:read',
  params: z.object({ assetId: Id }),
  status: 200,
  reply: z.object({ url: secret(z.url()), bytes: z.int(), expiresInSeconds: z.int() }),
  problems: ['not_found', assetNotReady],
  async handle({ params, org, db, services }) {
    const asset = await mustFind(assets.find(db, org.id, params.assetId), 'asset')
    if (asset.status !== 'ready') {
      throw assetNotReady(`The asset is ${asset.status}.`, { status: asset.status })
    }
    // An uploaded file can contain anything, so browsers must download it and not display it.
    const as = { filename: asset.filename ?? asset.id, type: 'application/octet-stream' }
    const url = await services(storage).signSave(sourceKey(asset.id), sourceSeconds, as)
    return { url, bytes: asset.bytes, expiresInSeconds: sourceSeconds }
  },
})
