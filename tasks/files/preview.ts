import { join } from 'node:path'
import { z } from 'zod'
import { EngineTrouble } from '#lib/engine-trouble.ts'
import { Id } from '#lib/ids.ts'
import * as objects from '#sql/files/objects.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { MediaFault } from '../video/rules/transcode/media-fault.ts'
import { discardPreviews } from './discard-previews.ts'
import { previewHours, previewsEnd, previewsPrefix } from './rules/keys.ts'
import { mostPreviewBytes, previewTypeOf } from './rules/previewable.ts'

/** Makes a picture of a page of a clean object; answers with its key, or why there is none. */
export const preview = task({
  name: 'files/preview',
  pool: 'media-intake',
  payload: z.object({ objectId: Id, page: z.int(), size: z.int() }),
  tracked: true,
  attempts: 2,
  timeout: 40_000,
  async run({ objectId, page, size }, { db, media, scratch, storage, signal }): Promise<PreviewAnswer> {
    const object = await objects.findAny(db, objectId)
    const type = object && previewTypeOf(object)
    if (object?.scan_status !== 'clean' || !object.held_key || !type || object.byte_size > mostPreviewBytes)
      return { key: null, why: 'not_previewable' }
    if (objects.isUndrawable(object, page)) return { key: null, why: 'not_previewable' }
    // The bytes of a version never change.
    const keyOf = (hour: number) => `${previewsPrefix(objectId)}${hour}/${page}-${size}.jpg`
    const hours = previewHours(Date.now())
    for (const key of hours.map(keyOf)) if (await storage.head(key)) return { key, why: null }
    await using folder = await scratch.attempt(object.byte_size)
    const [source, output] = [join(folder.path, 'source'), join(folder.path, 'preview.jpg')]
    await storage.download(object.held_key, source, signal)
    try {
      const isThere = await media.preview({ source, type, page, size, output }, { signal })
      // Every document has a first page: where that is not there, its pages are damaged.
      if (!isThere) return { key: null, why: page === 1 ? 'not_previewable' : 'no_page' }
    } catch (error) {
      if (!isTheFile(error)) throw error
      await objects.markUndrawable(db, objectId, page, !isTimeout(error))
      return { key: null, why: 'not_previewable' }
    }
    const [hour] = hours
    const key = keyOf(hour)
    // Before there is anything to discard, as a worker may be killed; and of no organisation: jobs of one that closes wait, and are deleted.
    const waits = { key: `previews:${objectId}:${hour}`, at: previewsEnd(hour) }
    await enqueue(db, discardPreviews, { objectId, hour }, waits)
    await storage.upload(output, key, { contentType: 'image/jpeg', cacheControl: 'private, max-age=300', signal })
    return { key, why: null }
  },
})

/** True if it took too long, which may be for what else this host had to do. */
const isTimeout = (error: unknown): boolean => error instanceof EngineTrouble && error.code === 'timeout'

/** True if the file is the cause: it is damaged, or it takes all the time or memory. */
const isTheFile = (error: unknown): boolean =>
  error instanceof MediaFault || isTimeout(error) || (error instanceof EngineTrouble && error.code === 'no_memory')

/** The key of a preview, or why there is none. */
export type PreviewAnswer = { key: string; why: null } | { key: null; why: 'no_page' | 'not_previewable' }
