import type { Storage } from '#lib/storage/storage.ts'
import { captionsPrefix } from '#sql/video/captions.ts'
import { mp4Prefix } from '#sql/video/mp4s.ts'
import * as playlists from '#sql/video/playlists.ts'
import { sourceKey } from '#sql/video/uploads.ts'
import { imageKey } from '#sql/video/watermarks.ts'
import { receivedPrefix } from '../../email/rules/received-keys.ts'
import { heldPrefix, previewsPrefix, quarantinePrefix } from '../../files/rules/keys.ts'
import {
  framesPrefix,
  livePrefix,
  liveThumbnailKey,
  openPosterKey,
  posterKey,
  roomRecordingPrefix,
  workPrefix,
} from '../../video/rules/keys.ts'
import { snapshotsPrefix } from '../../wiki/rules/keys.ts'
import { exportsPrefix } from './archive-keys.ts'

/** Columns of a row, as texts. */
type Facts = Readonly<Record<string, string | null>>

/** What a table's rows have in storage. */
interface Stored {
  /** The columns by which it is known. */
  facts: readonly string[]
  /** What the keys of a row's objects begin with. */
  prefixes(row: Facts): readonly string[]
  /** The same of what is made of those for a while, and anew when it is asked for: it is left behind when the row moves. */
  made?(row: Facts): readonly string[]
  /** What else a row has there. */
  end?(row: Facts, storage: Storage): Promise<void>
}

/** A part of a key; a prefix without it would be that of everybody's bytes. */
function demand(part: string | null | undefined): string {
  if (!part) throw new Error('The row has no field that identifies its bytes.')
  return part
}

const byId = (...prefixes: ((id: string) => string)[]): Stored => ({
  facts: ['id'],
  prefixes: ({ id }) => prefixes.map((prefix) => prefix(demand(id))),
})

/** The bytes of each table's rows: deleted before them, as without the row nobody knows of the bytes. */
export const storedBytes: Readonly<Record<string, Stored>> = {
  'video.assets': byId(
    sourceKey,
    workPrefix,
    posterKey,
    openPosterKey,
    captionsPrefix,
    framesPrefix,
    mp4Prefix,
    playlists.assetPrefix,
  ),
  'video.imports': {
    facts: ['asset_id', 'storage_upload'],
    prefixes: () => [],
    async end({ asset_id, storage_upload }, storage) {
      if (asset_id && storage_upload) await storage.multipart.abort(sourceKey(asset_id), storage_upload)
    },
  },
  'video.uploads': {
    facts: ['asset_id', 'storage_upload'],
    prefixes: () => [],
    async end({ asset_id, storage_upload }, storage) {
      if (asset_id && storage_upload) await storage.multipart.abort(sourceKey(asset_id), storage_upload)
    },
  },
  'video.watermarks': byId(imageKey),
  'live.broadcasts': byId(livePrefix),
  'live.channels': byId(liveThumbnailKey),
  'rooms.recordings': byId(roomRecordingPrefix),
  'email.received': byId(receivedPrefix),
  'files.objects': {
    facts: ['id', 'incoming_key'],
    prefixes: ({ id, incoming_key }) => [heldPrefix(demand(id)), quarantinePrefix(demand(id)), demand(incoming_key)],
    made: ({ id }) => [previewsPrefix(demand(id))],
  },
}

/** Prefixes of an organisation as a whole, deleted before the rows of a table. */
export const storedTogether: Readonly<Record<string, (orgId: string) => string>> = {
  'wiki.snapshots': snapshotsPrefix,
  'account.exports': exportsPrefix,
}
