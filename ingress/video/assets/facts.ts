import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import * as captions from '#sql/video/captions.ts'
import { detectLanguage } from '#tasks/video/rules/captions/languages.ts'
import { CaptionsText, storeOwnCaptions, TrackName } from '#tasks/video/rules/captions/own-captions.ts'
import { acceptedLanguages, getSpeechEngine } from '#tasks/video/rules/captions/speech-engine.ts'
import { MetadataChange, MetadataField } from '../../http/request/metadata.ts'
import { CaptionLanguage, languageIssue } from '../captions/language-field.ts'
import type { processingFields } from '../uploads/rules.ts'

export const assetFields = {
  title: z.string().min(1).max(500).optional(),
  description: z.string().min(1).max(5000).optional(),
  externalRef: z.string().min(1).max(500).optional().describe('Your ID for the asset. Lists can be filtered by it.'),
  metadata: MetadataField.optional(),
  captions: z
    .array(
      z.strictObject({
        language: CaptionLanguage.describe('BCP 47 language tag. Without `text`, also `auto`.'),
        text: CaptionsText.optional().describe(
          'Captions in WebVTT or SRT. If omitted, Millrace transcribes the asset when it is ready. `GET /v1/stream/captions/languages` lists the languages.',
        ),
        name: TrackName.optional(),
        default: z.boolean().default(false),
      }),
    )
    .max(20)
    .optional()
    .superRefine((tracks = [], { addIssue }) => {
      for (const [i, { language, text }] of tracks.entries()) {
        const issue = (field: string, message: string) => addIssue({ code: 'custom', path: [i, field], message })
        if (text !== undefined && language === detectLanguage)
          issue('language', 'must be a BCP 47 language tag, because the track has `text`')
        if (tracks.findIndex((one) => one.language === language) < i) issue('language', 'must be unique')
      }
    }),
} as const

type GivenTracks = z.output<typeof assetFields.captions>

type AssetForm = z.output<z.ZodObject<typeof assetFields & typeof processingFields>>

export const assetChangeFields = {
  title: assetFields.title.unwrap().nullable().optional(),
  description: assetFields.description.unwrap().nullable().optional(),
  externalRef: assetFields.externalRef.unwrap().nullable().optional(),
  metadata: MetadataChange.optional(),
} as const

/** Stores a new asset and its captions. Its file arrives later. */
export async function insertAsset(
  tx: Db,
  orgId: string,
  form: AssetForm,
  file: Pick<assets.Asset, 'filename' | 'mime_type' | 'bytes'>,
): Promise<assets.Asset> {
  const asset = await assets.insert(tx, {
    id: newId(),
    org_id: orgId,
    title: form.title ?? null,
    description: form.description ?? null,
    metadata: form.metadata ?? {},
    external_ref: form.externalRef ?? null,
    ...file,
    profile: form.processingProfile,
    watermark: form.watermark ?? null,
  })
  await insertCaptionTracks(tx, asset, form.captions)
  return asset
}

/** Throws unless the speech engine transcribes the language of each track without a text. */
async function demandTranscribable(tx: Db, tracks: NonNullable<GivenTracks>): Promise<void> {
  const wanted = tracks.flatMap(({ language, text }, i) => (text === undefined ? [{ language, i }] : []))
  if (wanted.length === 0) return
  const engine = await getSpeechEngine(tx)
  const accepted = acceptedLanguages(engine)
  const issues = wanted
    .filter(({ language }) => !accepted.includes(language))
    .map(({ i }) => ({
      field: `body.captions.${i}.text`,
      issue: `is required, because \`language\` ${languageIssue(engine)}`,
    }))
  if (issues.length > 0) throw badRequest(issues)
}

/** Stores the captions of a new asset. Captions that must be transcribed wait until the asset is ready. */
async function insertCaptionTracks(tx: Db, asset: { id: string; org_id: string }, tracks: GivenTracks): Promise<void> {
  await demandTranscribable(tx, tracks ?? [])
  for (const { language, text, name = null, default: isDefault } of tracks ?? []) {
    if (text) await storeOwnCaptions(tx, asset, { language, name, isDefault, text })
    else
      await captions.request(tx, {
        id: newId(),
        org_id: asset.org_id,
        asset_id: asset.id,
        language,
        name,
        is_default: isDefault,
      })
  }
}
