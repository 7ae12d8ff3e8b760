import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { queryInt } from '#lib/input-types.ts'
import type { Db } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import * as captionCues from '#sql/video/caption-cues.ts'
import * as captions from '#sql/video/captions.ts'
import { Language } from '#tasks/video/rules/captions/own-captions.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { CaptionLanguage } from './captions/language-field.ts'
import { searchEverything, searchOne } from './captions/search.ts'
import { presentCue, Transcript, transcriptText } from './captions/transcript-shape.ts'

const params = z.object({ assetId: pathId('asset'), language: CaptionLanguage })

/** Returns the ready captions and their cues. */
export async function cuesOf(db: Db, orgId: string, assetId: string, language: string) {
  const row = await captions.find(db, orgId, assetId, language)
  if (row?.state !== 'ready') throw notFound('captions')
  return { row, cues: await captionCues.list(db, row.id) }
}

export const read = route({
  method: 'GET',
  path: '/assets/{assetId}/captions/{language}/transcript',
  summary: 'Read the transcript of an asset',
  description:
    'Returns the cues of ready captions, with their times and their text without formatting. Automatic captions also have the time of each word.',
  scope: 'stream:read',
  beyondContract: true,
  params,
  status: 200,
  reply: Transcript,
  problems: ['not_found'],
  async handle({ params: { assetId, language }, org, db }) {
    const { row, cues } = await cuesOf(db, org.id, assetId, language)
    const { source, engine } = row
    return { assetId, language: row.language, source, engine, cues: cues.map(presentCue) }
  },
})

export const download = route({
  method: 'GET',
  path: '/assets/{assetId}/captions/{language}/transcript.txt',
  summary: 'Download the transcript as text',
  description: 'Returns the text of ready captions. A new paragraph starts after a pause, or with a new speaker.',
  scope: 'stream:read',
  beyondContract: true,
  params,
  status: 200,
  raw: 'text/plain',
  problems: ['not_found'],
  async handle({ params: { assetId, language }, org, db, ctx }) {
    const { cues } = await cuesOf(db, org.id, assetId, language)
    ctx.type = 'text/plain; charset=utf-8'
    ctx.body = transcriptText(cues)
  },
})

const Hit = z
  .object({
    language: z.string(),
    start: z.number().describe('Time in seconds at which the text is shown'),
    end: z.number(),
    text: z.string(),
    highlight: z.string().describe('Escaped HTML, with matches in `<mark>`'),
  })
  .meta({ id: 'video.TranscriptHit' })

const q = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .describe('Words to find. Supports `"a phrase"`, `or` and `-without`. Case and accents make no difference.')

const language = Language.optional().describe('Only captions in this language. Default: all languages.')

export const search = route({
  method: 'GET',
  path: '/assets/{assetId}/transcript/search',
  summary: 'Search the transcripts of an asset',
  description:
    'Searches the captions of an asset in all languages, including inflected forms of words. Returns the matches in the order of their times. A match can continue in the next cue.',
  scope: 'stream:read',
  beyondContract: true,
  search: true,
  params: z.object({ assetId: pathId('asset') }),
  query: z.object({ q, language, limit: queryInt(1, 200).default(50).describe('Maximum number of matches') }),
  status: 200,
  reply: z.object({ data: z.array(Hit) }),
  problems: ['not_found'],
  async handle({ params: { assetId }, query, org, db }) {
    await mustFind(assets.find(db, org.id, assetId), 'asset')
    return { data: await searchOne(db, { orgId: org.id, assetId }, query) }
  },
})

export const searchAll = route({
  method: 'GET',
  path: '/transcripts/search',
  summary: 'Search the transcripts of all assets',
  description:
    'Searches the captions of all assets of your organisation, in all languages. Returns the newest assets with a match first, each with up to three matches.',
  scope: 'stream:read',
  beyondContract: true,
  search: true,
  query: z.object({ q, language, limit: queryInt(1, 50).default(20).describe('Maximum number of assets') }),
  status: 200,
  reply: z.object({
    data: z.array(
      z.object({ assetId: Id, title: z.string().nullable(), hits: z.array(Hit) }).meta({ id: 'video.FoundTranscript' }),
    ),
  }),
  async handle({ query, org, db }) {
    return { data: await searchEverything(db, org.id, query) }
  },
})
