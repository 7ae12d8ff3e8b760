import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as captions from '#sql/video/captions.ts'
import { emit } from '../../../webhooks/rules/emit.ts'
import { canonicalLanguage } from './languages.ts'
import { BadCaptionsError, readCaptions } from './read-captions.ts'
import { storeCues } from './store-cues.ts'
import { cuesOfFile } from './transcript.ts'
import { rewriteWebvtt } from './webvtt.ts'

/** Language of captions in canonical form. For example, `en-us` becomes `en-US`. */
export const Language = z
  .string()
  .min(2)
  .max(35)
  .refine((tag) => canonicalLanguage(tag) !== undefined, 'must be a BCP 47 language tag, such as `en` or `pt-BR`')
  .transform((tag) => canonicalLanguage(tag) as string)

export const TrackName = z.string().trim().min(1).max(100)

/** Parses captions; returns them as WebVTT, and their cues. Errors name the line. */
export const CaptionsText = z
  .string()
  .min(1)
  .max(700_000)
  .transform((text, { addIssue }) => {
    try {
      const cues = readCaptions(text)
      return { body: rewriteWebvtt(cues), cues }
    } catch (error) {
      if (!(error instanceof BadCaptionsError)) throw error
      addIssue({ code: 'custom', message: error.message })
      return z.NEVER
    }
  })

export interface OwnTrack {
  language: string
  name: string | null
  isDefault: boolean
  text: z.output<typeof CaptionsText>
}

/**
 * Stores the owner’s captions. Viewers get them with the next playlist. Returns false if the asset has too many tracks
 * or has failed.
 */
export async function storeOwnCaptions(
  tx: Db,
  asset: { id: string; org_id: string },
  { language, name, isDefault, text }: OwnTrack,
): Promise<boolean> {
  const { id: asset_id, org_id } = asset
  const { body, cues } = text
  const own = { id: newId(), org_id, asset_id, language, name, isDefault, body, cues: cues.length }
  if (!(await captions.put(tx, own))) return false
  const row = await captions.find(tx, org_id, asset_id, language)
  if (!row) return true
  await storeCues(tx, { id: row.id, org_id, language }, cuesOfFile(cues))
  await emit(tx, org_id, 'video.captions.ready', { id: row.id, asset_id, language, cues: cues.length })
  return true
}
