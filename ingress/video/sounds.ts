import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import * as sounds from '#sql/video/sounds.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { addSound } from '#tasks/video/add-sound.ts'
import { discardSound } from '#tasks/video/discard-sound.ts'
import { Language, TrackName } from '#tasks/video/rules/captions/own-captions.ts'
import { emitAsset } from '#tasks/video/rules/emit-asset.ts'
import { soundRendition } from '#tasks/video/rules/sounds/sound-names.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { assetNotReady } from './assets.ts'

const params = z.object({ assetId: Id })

const tooMany = problem(409, 'sounds_limit', `The asset already has ${sounds.maxSounds} added audio tracks.`)

/** Time in milliseconds for which players can still use a deleted track. */
const retireMs = 24 * 60 * 60_000

const Sound = z
  .object({
    id: Id,
    assetId: Id,
    sourceAssetId: Id,
    language: z.string(),
    name: z.string().nullable().describe('Name in players. `null`: the name of the language.'),
    default: z.boolean().describe('True if players use this track unless the viewer chooses another'),
    state: sounds.SoundState,
    failure_code: z.string().nullable().describe('Reason for the failure, for use in code'),
    failure_summary: z.string().nullable().describe('Reason for the failure, to show to your users'),
    rendition: z.string().describe('Name of the track among the renditions'),
    bytes: z.int().nullable(),
    created_at: Instant,
  })
  .meta({ id: 'video.Sound' })

const present = (row: sounds.Sound): z.input<typeof Sound> => ({
  id: row.id,
  assetId: row.asset_id,
  sourceAssetId: row.source_asset_id,
  language: row.language,
  name: row.name,
  default: row.is_default,
  state: row.state,
  failure_code: row.failure_code,
  failure_summary: row.failure_summary,
  rendition: soundRendition(row.id),
  bytes: row.bytes,
  created_at: row.created_at,
})

export const create = route({
  method: 'POST',
  path: '/assets/{assetId}/sounds',
  summary: 'Add an audio track to an asset',
  description:
    'Adds the first audio track of another asset to a ready video, in the length of the video. Upload the audio as an asset first. You can delete that asset when the track is ready. Playback is not interrupted.',
  scope: 'stream:write',
  beyondContract: true,
  params,
  body: z.strictObject({
    sourceAssetId: Id.describe('ID of the asset with the audio, whose upload is complete'),
    language: Language.describe('BCP 47 language tag'),
    name: TrackName.optional().describe('Name in players. Default: the name of the language.'),
    default: z.boolean().default(false).describe('True to play this track unless the viewer chooses another'),
  }),
  status: 201,
  reply: Sound,
  problems: ['not_found', assetNotReady, tooMany],
  enqueues: addSound,
  async handle({ params: { assetId }, body, org, db }) {
    const made = await db.transaction(async (tx) => {
      const asset = await mustFind(assets.lock(tx, org.id, assetId), 'asset')
      if (asset.status !== 'ready') throw assetNotReady(`The asset is ${asset.status}.`, { status: asset.status })
      if (asset.width === null) throw badRequest([{ field: 'path.assetId', issue: 'must be an asset with video' }])
      await checkSource(tx, org.id, body.sourceAssetId)
      const row = { id: newId(), org_id: org.id, asset_id: assetId, source_asset_id: body.sourceAssetId }
      const facts = { language: body.language, name: body.name ?? null, is_default: body.default }
      const sound = await sounds.insert(tx, { ...row, ...facts })
      if (!sound) throw tooMany(`An asset can have up to ${sounds.maxSounds} added audio tracks.`)
      await enqueue(tx, addSound, { soundId: sound.id }, { subject: assetId, orgId: org.id, priority: 20 })
      return sound
    })
    return present(made)
  },
})

async function checkSource(tx: Db, orgId: string, id: string): Promise<void> {
  const source = await assets.find(tx, orgId, id)
  if (source?.status === 'ready' || source?.status === 'processing') return
  const issue = source
    ? `must be an asset whose upload is complete, but is ${source.status}`
    : 'must be one of your assets'
  throw badRequest([{ field: 'body.sourceAssetId', issue }])
}

export const list = route({
  method: 'GET',
  path: '/assets/{assetId}/sounds',
  summary: 'List added audio tracks of an asset',
  description: 'Returns the added tracks with their state. Audio tracks of the upload are not included.',
  scope: 'stream:read',
  beyondContract: true,
  params,
  status: 200,
  reply: z.object({ data: z.array(Sound) }),
  problems: ['not_found'],
  async handle({ params: { assetId }, org, db }) {
    await mustFind(assets.find(db, org.id, assetId), 'asset')
    return { data: (await sounds.list(db, org.id, assetId)).map(present) }
  },
})

export const read = route({
  method: 'GET',
  path: '/assets/{assetId}/sounds/{soundId}',
  summary: 'Read an added audio track',
  description: 'Returns the state of the track.',
  scope: 'stream:read',
  beyondContract: true,
  params: z.object({ assetId: pathId('asset'), soundId: pathId('audio track') }),
  status: 200,
  reply: Sound,
  problems: ['not_found'],
  async handle({ params: { assetId, soundId }, org, db }) {
    return present(await mustFind(sounds.find(db, org.id, assetId, soundId), 'audio track'))
  },
})

export const remove = removeRoute({
  path: '/assets/{assetId}/sounds/{soundId}',
  summary: 'Delete an added audio track',
  description:
    'Players that start later do not offer the track. Players that use it can finish: its files are deleted after a day.',
  scope: 'stream:write',
  beyondContract: true,
  params: z.object({ assetId: pathId('asset'), soundId: pathId('audio track') }),
  reply: { assetId: Id, soundId: Id },
  what: 'audio track',
  async remove({ params: { assetId, soundId }, org, db }) {
    if (!(await assets.lock(db, org.id, assetId))) return false
    const removed = await sounds.remove(db, org.id, assetId, soundId)
    if (!removed) return false
    const payload = { assetId, packageId: removed.package_id ?? '', soundId }
    const waits = { orgId: org.id, at: new Date(Date.now() + retireMs) }
    if (removed.package_id) await enqueue(db, discardSound, payload, waits)
    await emitAsset(db, assetId, 'video.asset.updated')
    return true
  },
})
