import type { Storage } from '#lib/storage/storage.ts'
import type { Db } from '#sql/db.ts'
import * as captions from '#sql/video/captions.ts'
import type { ClippedFrom } from '#sql/video/clipped-from.ts'
import { type OwnTrack, storeOwnCaptions } from '../captions/own-captions.ts'
import { BadCaptionsError, readCaptions } from '../captions/read-captions.ts'
import { rewriteWebvtt, type WrittenCue } from '../captions/webvtt.ts'

/** Returns the captions of a time range, with times from its start. A track without captions in the range is left out. */
export async function readClipCaptions(
  { assetId, start, end }: ClippedFrom,
  { db, storage, signal }: { db: Db; storage: Storage; signal: AbortSignal },
): Promise<OwnTrack[]> {
  if (assetId === null) return []
  const tracks: OwnTrack[] = []
  for (const { state, language, name, is_default: isDefault } of await captions.list(db, assetId)) {
    if (state !== 'ready') continue
    const own = await captions.findBody(db, assetId, language)
    const text = own ?? Buffer.from(await storage.readWhole(captions.captionsKey(assetId, language), signal)).toString()
    const cut = cutCaptions(text, start, end)
    if (cut) tracks.push({ language, name, isDefault, text: cut })
  }
  return tracks
}

/** Returns the captions of a time range, with times from its start, or `null` if it has none. */
export function cutCaptions(text: string, start: number, end: number): OwnTrack['text'] | null {
  const cues = readAll(text).flatMap((cue) =>
    cue.to <= start || cue.from >= end
      ? []
      : [{ ...cue, from: Math.max(0, cue.from - start), to: Math.min(end, cue.to) - start }],
  )
  return cues.length === 0 ? null : { body: rewriteWebvtt(cues), cues }
}

/** Returns the cues of stored captions. Transcribed captions of silence have none. */
function readAll(text: string): WrittenCue[] {
  try {
    return readCaptions(text)
  } catch (error) {
    if (error instanceof BadCaptionsError) return []
    throw error
  }
}

export async function storeClipCaptions(
  tx: Db,
  clip: { id: string; org_id: string },
  tracks: readonly OwnTrack[],
): Promise<void> {
  for (const track of tracks) await storeOwnCaptions(tx, clip, track)
}
