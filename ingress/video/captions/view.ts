import { z } from 'zod'
import { CaptionSource } from '#sql/video/caption-track.ts'
import * as captions from '#sql/video/captions.ts'

export const captionPath = (assetId: string, language: string): string =>
  `/v1/stream/assets/${assetId}/captions/${language}.vtt`

export const Captions = z
  .object({
    language: z.string().describe('BCP 47 language tag. `auto` until Millrace has detected the language.'),
    detected: z.boolean().describe('True if the captions were requested in the language `auto`'),
    engine: z
      .string()
      .nullable()
      .describe('Speech engine of automatic captions. `null` before the start, and for uploads.'),
    state: captions.State,
    name: z.string().nullable().describe('Name of the track in players. `null`: the name of its language.'),
    default: z.boolean().describe('True if viewers who have not chosen a language see this track'),
    source: CaptionSource.describe(
      'Transcribed automatically, uploaded by you, or transcribed and then corrected by you',
    ),
    progress_percent: z.number(),
    failure_summary: z.string().nullable().describe('Reason for the failure, to show to your users'),
    captionPath: z.string(),
  })
  .meta({ id: 'video.Captions' })

export function present(row: captions.Captions, seconds: number | null): z.input<typeof Captions> {
  const done = row.state === 'ready' ? 1 : Math.min(1, row.heard / (seconds || Number.POSITIVE_INFINITY))
  return {
    language: row.language,
    detected: row.detects,
    engine: row.engine,
    state: row.state,
    name: row.name,
    default: row.is_default,
    source: row.source,
    progress_percent: Math.round(done * 100),
    failure_summary: row.failure_summary,
    captionPath: captionPath(row.asset_id, row.language),
  }
}
