import { join } from 'node:path'
import { z } from 'zod'
import { TransientEngineError } from '#lib/engine-trouble.ts'
import { Id } from '#lib/ids.ts'
import * as objects from '#sql/files/objects.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { MediaFault } from '../video/rules/transcode/media-fault.ts'
import { discardPreviews } from './discard-previews.ts'
import { previewHours, previewsEnd, previewsPrefix } from './rules/keys.ts'
import { getPreviewType, maxPreviewBytes } from './rules/previewable.ts'

export const preview = task({
  name: 'files/preview',
  pool: 'media-intake',
  payload: z.object({ objectId: Id, page: z.int(), size: z.int() }),
  tracked: true,
  attempts: 2,
  timeout: 40_000,
  async run({ objectId, page, size }, { db, media, scratch, storage, signal }): Promise<PreviewAnswer> {
    const object = await objects.findAny(db, objectId)
    const type = object && getPreviewType(object)
    if (object?.scan_status !== 'clean' || !object.held_key || !type || object.byte_size > maxPreviewBytes)
      return { key: null, why: 'not_previewable' }
    if (objects.isUndrawable(object, page)) return { key: null, why: 'not_previewable' }
    const keyOf = (hour: number) => `${previewsPrefix(objectId)}${hour}/${page}-${size}.jpg`
    const hours = previewHours(Date.now())
    for (const key of hours.map(keyOf)) if (await storage.head(key)) return { key, why: null }
    await using folder = await scratch.attempt(object.byte_size)
    const [source, output] = [join(folder.path, 'source'), join(folder.path, 'preview.jpg')]
    await storage.download(object.held_key, source, signal)
    try {
      const isThere = await media.preview({ source, type, page, size, output }, { signal })
      // Every document has a first page. If it is missing, the document is damaged.
      if (!isThere) return { key: null, why: page === 1 ? 'not_previewable' : 'no_page' }
    } catch (error) {
      if (!isTheFile(error)) throw error
      await objects.markUndrawable(db, objectId, page, !isTimeout(error))
      return { key: null, why: 'not_previewable' }
    }
    const [hour] = hours
    const key = keyOf(hour)
    // Added before anything is stored, because a worker can be killed. The job has no organisation, because jobs of a
    // closing organisation wait and are deleted.
    const waits = { key: `previews:${objectId}:${hour}`, at: previewsEnd(hour) }
    await enqueue(db, discardPreviews, { objectId, hour }, waits)
    await storage.upload(output, key, { contentType: 'image/jpeg', cacheControl: 'private, max-age=300', signal })
    return { key, why: null }
  },
})

/** True if drawing took too long. Other work on this host can be the cause. */
const isTimeout = (error: unknown): boolean => error instanceof TransientEngineError && error.code === 'timeout'

/** True if the file is the cause: it is damaged, or needs too much time or memory. */
const isTheFile = (error: unknown): boolean =>
  error instanceof MediaFault ||
  isTimeout(error) ||
  (error instanceof TransientEngineError && error.code === 'no_memory')

export type PreviewAnswer = { key: string; why: null } | { key: null; why: 'no_page' | 'not_previewable' }
