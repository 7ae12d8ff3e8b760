import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import * as assets from '#sql/video/assets.ts'
import * as captions from '#sql/video/captions.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { transcribe } from '#tasks/video/transcribe.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { storage } from '../http/services.ts'
import { assetNotReady } from './assets.ts'
import { captionPath } from './captions-view.ts'

const languages: readonly string[] = ['en']

const unsupported = problem(400, 'language_unsupported', 'the language is not `en`')

/** Has what is said in an asset written down; once for each asset and language, however often it is asked for. */
export const create = route({
  method: 'POST',
  path: '/assets/{assetId}/captions',
  summary: 'Have captions made',
  description:
    'Queues the transcription of a ready asset and answers at once. Asking again answers the same; captions that failed are made again. Viewers are offered them as soon as they are ready.',
  scope: 'stream:write',
  params: z.object({ assetId: Id }),
  body: z.strictObject({ language: z.string().min(1).max(35).describe('`en`') }),
  status: 201,
  reply: z
    .object({
      assetId: Id,
      language: z.string(),
      requestId: Id.describe('The same for every request for these captions'),
      state: captions.State,
      captionPath: z.string().describe('Where the WebVTT file will appear'),
    })
    .meta({ id: 'video.CaptionRequest' }),
  problems: ['not_found', assetNotReady, unsupported],
  example: { body: { language: 'en' } },
  enqueues: transcribe,
  async repeats({ params, body, org, db }) {
    const known = await captions.find(db, org.id, params.assetId, body.language)
    return known !== null && known.state !== 'failed'
  },
  async handle({ params: { assetId }, body: { language }, org, db }) {
    if (!languages.includes(language)) {
      throw unsupported(`body.language: captions can be made in \`en\` only, not in \`${language}\`.`, [
        { field: 'body.language', issue: 'is not `en`' },
      ])
    }
    const asset = await mustFind(assets.find(db, org.id, assetId), 'asset')
    if (asset.status !== 'ready') {
      throw assetNotReady(`The asset is ${asset.status}.`, { status: asset.status })
    }
    await db.transaction(async (tx) => {
      const id = await captions.request(tx, { id: newId(), org_id: org.id, asset_id: assetId, language })
      if (id) await enqueue(tx, transcribe, { captionsId: id }, { subject: assetId, orgId: org.id, priority: 20 })
    })
    const asked = await mustFind(captions.find(db, org.id, assetId, language), 'asset')
    return { assetId, language, requestId: asked.id, state: asked.state, captionPath: captionPath(assetId, language) }
  },
})

/** The WebVTT file of ready captions, for their owner. */
export const read = route({
  method: 'GET',
  path: '/assets/{assetId}/captions/{file}',
  summary: 'Captions as a WebVTT file',
  description: '`file` is the language and `.vtt`. For their owner: players find them in the playlists.',
  scope: 'stream:read',
  beyondContract: true,
  params: z.object({ assetId: pathId('asset'), file: z.string().regex(/^[a-z]{2}\.vtt$/, 'is `en.vtt`') }),
  status: 200,
  raw: 'text/vtt',
  problems: ['not_found'],
  async handle({ params: { assetId, file }, org, db, ctx, services }) {
    const language = file.slice(0, 2)
    const found = await captions.find(db, org.id, assetId, language)
    if (found?.state !== 'ready') throw notFound('captions')
    ctx.type = 'text/vtt; charset=utf-8'
    ctx.body = Buffer.from(await services(storage).readWhole(captions.captionsKey(assetId, language)))
  },
})
