import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import * as captions from '#sql/video/captions.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { CaptionsText, Language, storeOwnCaptions, TrackName } from '#tasks/video/rules/captions/own-captions.ts'
import { acceptedLanguages, getSpeechEngine } from '#tasks/video/rules/captions/speech-engine.ts'
import { transcribe } from '#tasks/video/transcribe.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { storage } from '../http/services.ts'
import { assetNotReady } from './assets.ts'
import { textOf } from './captions/files.ts'
import { CaptionLanguage, languageIssue } from './captions/language-field.ts'
import { Captions, captionPath, present } from './captions/view.ts'

const unsupported = problem(400, 'language_unsupported', 'The speech engine does not transcribe the language.')

export const create = route({
  method: 'POST',
  path: '/assets/{assetId}/captions',
  summary: 'Transcribe an asset',
  description:
    'Queues the transcription of a ready asset and returns immediately. `GET /v1/stream/captions/languages` lists the languages. Repeated requests return the same result. A request for failed captions starts them again. Viewers can use the captions as soon as they are ready.',
  scope: 'stream:write',
  params: z.object({ assetId: Id }),
  body: z.strictObject({
    language: z
      .string()
      .min(1)
      .max(35)
      .describe('Language that the speech engine transcribes, or `auto` if the engine detects languages'),
  }),
  status: 201,
  reply: z
    .object({
      assetId: Id,
      language: z.string().describe('`auto` until Millrace has detected the language'),
      requestId: Id.describe('ID of these captions, the same for repeated requests'),
      state: captions.State,
      captionPath: z.string().describe('Path of the WebVTT file when the captions are ready'),
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
    const engine = await getSpeechEngine(db)
    if (!acceptedLanguages(engine).includes(language)) {
      const issue = languageIssue(engine)
      const message = `body.language ${issue}. ${engine.engine} cannot transcribe \`${language}\`.`
      throw unsupported(message, [{ field: 'body.language', issue }])
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
    const { id, state } = asked
    return { assetId, language: asked.language, requestId: id, state, captionPath: captionPath(assetId, language) }
  },
})

const tooMany = problem(409, 'captions_limit', `The asset already has ${captions.maxTracks} tracks, or has failed.`)

const trackParams = z.object({ assetId: pathId('asset'), language: CaptionLanguage })

const Track = z.object({ assetId: Id, captions: Captions }).meta({ id: 'video.CaptionTrack' })

async function trackOf(db: Db, orgId: string, assetId: string, language: string): Promise<z.input<typeof Track>> {
  const asset = await mustFind(assets.find(db, orgId, assetId), 'asset')
  const row = await mustFind(captions.find(db, orgId, assetId, language), 'captions')
  return { assetId, captions: present(row, asset.duration_seconds) }
}

export const put = route({
  method: 'PUT',
  path: '/assets/{assetId}/captions/{language}',
  summary: 'Upload captions',
  description:
    'Stores WebVTT or SRT captions in any language, at any time after the upload starts. They replace existing captions in the same language, including automatic ones. Players use the new captions after the next playlist request. `text/vtt` and `application/x-subrip` bodies are also accepted.',
  scope: 'stream:write',
  beyondContract: true,
  alsoTakes: { 'text/vtt': (text) => ({ text }), 'application/x-subrip': (text) => ({ text }) },
  params: z.object({ assetId: pathId('asset'), language: Language }),
  body: z.strictObject({
    text: CaptionsText.describe('Captions in WebVTT or SRT'),
    name: TrackName.optional().describe('Name of the track in players. Default: the name of its language.'),
    default: z
      .boolean()
      .default(false)
      .describe(
        'True to show this track to viewers who have not chosen a language. No other track is then the default.',
      ),
  }),
  status: 200,
  reply: Track,
  problems: ['not_found', tooMany],
  example: { body: { text: 'WEBVTT\n\n00:00:01.000 --> 00:00:03.000\nGood morning.\n' } },
  async handle({ params: { assetId, language }, body, org, db }) {
    const asset = await mustFind(assets.find(db, org.id, assetId), 'asset')
    const track = { language, name: body.name ?? null, isDefault: body.default, text: body.text }
    if (!(await db.transaction((tx) => storeOwnCaptions(tx, asset, track))))
      throw tooMany(
        `The asset is ${asset.status}. An asset that has not failed can have up to ${captions.maxTracks} tracks.`,
      )
    return await trackOf(db, org.id, assetId, language)
  },
})

export const change = route({
  method: 'PATCH',
  path: '/assets/{assetId}/captions/{language}',
  summary: 'Rename captions or make them the default',
  description: 'Omitted fields keep their values. Only one language can be the default.',
  scope: 'stream:write',
  beyondContract: true,
  params: trackParams,
  body: z
    .strictObject({ name: TrackName.nullable().optional(), default: z.boolean().optional() })
    .refine(({ name, default: isDefault }) => name !== undefined || isDefault !== undefined, {
      path: ['name'],
      error: 'is required if `default` is not set',
    }),
  status: 200,
  reply: Track,
  problems: ['not_found'],
  async handle({ params: { assetId, language }, body, org, db }) {
    const row = await mustFind(captions.find(db, org.id, assetId, language), 'captions')
    const changes = { name: body.name, isDefault: body.default }
    await db.transaction((tx) => captions.change(tx, { asset_id: assetId, language: row.language }, changes))
    return await trackOf(db, org.id, assetId, row.language)
  },
})

export const remove = removeRoute({
  path: '/assets/{assetId}/captions/{language}',
  summary: 'Delete captions',
  description:
    'Deletes the track and stops a transcription in progress. Players stop showing the track after the next playlist request.',
  scope: 'stream:write',
  beyondContract: true,
  params: trackParams,
  reply: { assetId: Id, language: z.string() },
  what: 'captions',
  async remove({ params: { assetId, language }, org, db }) {
    const row = await mustFind(captions.find(db, org.id, assetId, language), 'captions')
    await captions.remove(db, { asset_id: assetId, language: row.language })
  },
})

export const read = route({
  method: 'GET',
  path: '/assets/{assetId}/captions/{file}',
  summary: 'Download captions as WebVTT',
  description:
    '`file` is the language, or `auto` for the detected language, followed by `.vtt`. Use it only on your server. Players find the captions in the playlists.',
  scope: 'stream:read',
  beyondContract: true,
  params: z.object({
    assetId: pathId('asset'),
    file: z.string().regex(/^[A-Za-z0-9-]{2,35}\.vtt$/, 'must be a language followed by `.vtt`, such as `en.vtt`'),
  }),
  status: 200,
  raw: 'text/vtt',
  problems: ['not_found'],
  async handle({ params: { assetId, file }, org, db, ctx, services }) {
    const language = file.slice(0, -'.vtt'.length)
    const found = await captions.find(db, org.id, assetId, language)
    if (found?.state !== 'ready') throw notFound('captions')
    ctx.type = 'text/vtt; charset=utf-8'
    ctx.body = await textOf(db, services(storage), assetId, found.language)
  },
})
