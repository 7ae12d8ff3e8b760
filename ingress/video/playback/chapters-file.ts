import type { DatabasePool } from '#sql/db.ts'
import type { Grant } from '#sql/playback/sessions.ts'
import * as chapters from '#sql/video/chapters.ts'
import { chaptersJson, chaptersTrack, chaptersWithin } from '#tasks/video/rules/chapters/chapters.ts'
import type { Window } from '#tasks/video/rules/hls/window.ts'

const writers: Readonly<Record<string, typeof chaptersTrack>> = {
  'chapters.vtt': chaptersTrack,
  'chapters.json': chaptersJson,
}

/** Returns the chapters that a viewer can see, or `undefined` for any other file. */
export async function findChaptersFile(
  db: DatabasePool,
  { asset_id, has_chapters }: Grant,
  file: string,
  window: Window | null,
): Promise<string | undefined> {
  const write = has_chapters ? writers[file] : undefined
  const found = write && (await chapters.find(db, asset_id))
  if (!found) return undefined
  const end = found.seconds ?? Number.MAX_SAFE_INTEGER
  return write(chaptersWithin(found.chapters, window?.from ?? 0, window ? Math.min(window.to, end) : end))
}
