import type { Db } from '#sql/db.ts'
import * as captionCues from '#sql/video/caption-cues.ts'
import { markIndexed } from '#sql/video/caption-index.ts'
import { searchConfiguration } from './search-text.ts'

/** Stores the transcript of captions that are ready, so that searches find its words. */
export async function storeCues(
  tx: Db,
  captions: { id: string; org_id: string; language: string },
  cues: readonly captionCues.CaptionCue[],
): Promise<void> {
  await captionCues.replace(tx, captions, cues, searchConfiguration(captions.language))
  await markIndexed(tx, captions.id)
}
