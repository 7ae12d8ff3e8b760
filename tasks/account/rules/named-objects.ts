import type { NamingRow, NamingTable } from '#sql/named-objects.ts'
import { captionsKey } from '#sql/video/captions.ts'
import { mp4Key } from '#sql/video/mp4s.ts'
import { packagePrefix } from '#sql/video/playlists.ts'
import { sourceKey } from '#sql/video/uploads.ts'
import { imageKey } from '#sql/video/watermarks.ts'
import { rawKey } from '../../email/rules/received/keys.ts'
import { variantKey } from '../../files/rules/keys.ts'
import { openPosterKey, ownPosterKey, posterKey, previewKey, workPrefix } from '../../video/rules/keys.ts'
import { chunkFile } from '../../video/rules/transcode/chunks.ts'
import { selectRenditions, type VideoPlan } from '../../video/rules/transcode/plan.ts'
import { soundFile } from '../../video/rules/transcode/sound-tracks.ts'
import { snapshotKey } from '../../wiki/rules/keys.ts'

/** Columns from which object keys are built. */
// biome-ignore lint/suspicious/noExplicitAny: each table's facts are its own, and are declared beside its statement.
type Facts = Readonly<Record<string, any>>

/** Keys of the objects of a row. The row is valid only if these objects exist in storage. */
export const namedObjects: Readonly<Record<NamingTable, (facts: Facts) => string[]>> = {
  'files.objects': ({ held_key }) => [held_key],
  'files.image_variants': ({ object_id, id }) => [variantKey(object_id, id)],
  'email.received': ({ id }) => [rawKey(id)],
  'video.assets': ({ id, poster, own_poster, only_own_poster, preview_id, mezzanine, is_open }) => [
    sourceKey(id),
    ...(mezzanine ? [mezzanine] : []),
    ...(poster && !only_own_poster ? [posterKey(id)] : []),
    ...(own_poster ? [ownPosterKey(id, own_poster)] : []),
    ...(preview_id ? [previewKey(id, preview_id)] : []),
    ...(poster && is_open ? [openPosterKey(id)] : []),
  ],
  'video.parts': ({ asset_id, kind, number, plan, lowest_first }) =>
    pieces({ kind, number, plan, lowestFirst: lowest_first }).map((file) => `${workPrefix(asset_id)}${file}`),
  'video.playlists': ({ asset_id, package_id, body }) =>
    mediaFiles(body).map((file) => `${packagePrefix(asset_id, package_id)}${file}`),
  'video.captions': ({ asset_id, language }) => [captionsKey(asset_id, language)],
  'video.mp4s': ({ asset_id, package_id, rendition }) => [mp4Key({ asset_id, package_id, rendition })],
  'video.watermarks': ({ id }) => [imageKey(id)],
  'live.chunks': ({ key }) => [key],
  'rooms.chunks': ({ key }) => [key],
  'wiki.snapshots': ({ org_id, sha256 }) => [snapshotKey(org_id, sha256)],
  'account.exports': ({ object_key }) => [object_key],
  'erp.imports': ({ object_key }) => [object_key],
}

/** Returns the keys of a row. Empty if the row has no objects now. */
export const objectKeys = (table: NamingTable, { facts }: NamingRow): string[] =>
  facts ? namedObjects[table](facts) : []

interface Piece {
  kind: 'chunk' | 'first' | 'audio'
  number: number
  plan: VideoPlan | null
  lowestFirst: boolean
}

function pieces({ kind, number, plan, lowestFirst }: Piece): string[] {
  if (kind === 'audio') return [soundFile(number)]
  if (!plan) return []
  const rungs = kind === 'first' ? 'lowest' : lowestFirst ? 'others' : 'all'
  return selectRenditions(plan, rungs).renditions.map(({ name }) => chunkFile(name, number))
}

/** Returns the files named by a playlist or by the thumbnail track of a seek bar. Other texts are stored in rows. */
function mediaFiles(body: string): string[] {
  const named = body.split('\n').flatMap((line) => {
    const text = line.trim()
    if (text.startsWith('#')) return /URI="([^"]+)"/.exec(text)?.[1] ?? []
    return /\.(m4s|mp4|jpg)(#|$)/.test(text) ? [text.split('#', 1)[0] as string] : []
  })
  return [...new Set(named.filter((file) => !/\.(m3u8|vtt)$/.test(file)))]
}
