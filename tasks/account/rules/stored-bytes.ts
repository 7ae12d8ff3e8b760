import type { Storage } from '#lib/storage/storage.ts'
import { captionsPrefix } from '#sql/video/captions.ts'
import { mp4Prefix } from '#sql/video/mp4s.ts'
import * as playlists from '#sql/video/playlists.ts'
import { sourceKey } from '#sql/video/uploads.ts'
import { imageKey } from '#sql/video/watermarks.ts'
import { receivedPrefix } from '../../email/rules/received/keys.ts'
import { heldPrefix, previewsPrefix, quarantinePrefix, variantsPrefix } from '../../files/rules/keys.ts'
import {
  extrasPrefix,
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

type Facts = Readonly<Record<string, string | null>>

/** Objects in storage of a table’s rows. */
interface Stored {
  facts: readonly string[]
  prefixes(row: Facts): readonly string[]
  /** Key prefixes of derived objects, which are created again on demand. They are not moved with the row. */
  made?(row: Facts): readonly string[]
  /** Other state in storage, for example unfinished uploads. */
  end?(row: Facts, storage: Storage): Promise<void>
}

/**
 * Returns a required part of a key. Throws if the part is missing, because the prefix would then include objects of
 * other organisations.
 */
function demand(part: string | null | undefined): string {
  if (!part) throw new Error('The row has no field that identifies its bytes.')
  return part
}

const byId = (...prefixes: ((id: string) => string)[]): Stored => ({
  facts: ['id'],
  prefixes: ({ id }) => prefixes.map((prefix) => prefix(demand(id))),
})

/** Objects by table. Objects are deleted before their rows, because they cannot be found without the row. */
export const storedBytes: Readonly<Record<string, Stored>> = {
  'video.assets': byId(
    sourceKey,
    workPrefix,
    posterKey,
    openPosterKey,
    captionsPrefix,
    framesPrefix,
    extrasPrefix,
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
  'files.uploads': {
    facts: ['key', 'storage_upload'],
    prefixes: () => [],
    async end({ key, storage_upload }, storage) {
      if (key && storage_upload) await storage.multipart.abort(key, storage_upload)
    },
  },
  'files.objects': {
    facts: ['id', 'incoming_key'],
    prefixes: ({ id, incoming_key }) => [
      heldPrefix(demand(id)),
      quarantinePrefix(demand(id)),
      variantsPrefix(demand(id)),
      demand(incoming_key),
    ],
    made: ({ id }) => [previewsPrefix(demand(id))],
  },
}

export const storedTogether: Readonly<Record<string, (orgId: string) => string>> = {
  'wiki.snapshots': snapshotsPrefix,
  'account.exports': exportsPrefix,
}
