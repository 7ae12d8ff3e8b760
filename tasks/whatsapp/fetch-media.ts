import { z } from 'zod'
import { Later, Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as media from '#sql/whatsapp/media.ts'
import * as messages from '#sql/whatsapp/messages.ts'
import { acceptUpload } from '../files/rules/take-in.ts'
import { task } from '../queue/task.ts'
import { emitMany } from '../webhooks/rules/emit.ts'
import { CloudApiError } from './engine.ts'
import type { WhatsappTools } from './pools.ts'
import { getMaxBytes, isMediaName } from './rules/media-limits.ts'
import { getNumberApi, NumberRemovedError } from './rules/own-number.ts'
import { FileUnavailableError, storeMedia } from './rules/take-media.ts'

/** Delay in milliseconds until a file without a free slot is retried. */
const slotMs = 1_000

/**
 * Returns the delay in milliseconds until the next check of the scan result. The delay grows with the age of the file,
 * for example while the scanner is unavailable.
 */
const verdictMs = ({ created_at }: media.Media): number =>
  Math.min(60_000, Math.max(500, (Date.now() - created_at.getTime()) / 4))

/**
 * Fetches a file that a person sent and passes it through the malware gate. Only then reports the file as stored. Each
 * step continues from the previous step, so the task can be repeated at any point.
 */
export const fetchMedia = task({
  name: 'whatsapp/fetch-media',
  pool: 'whatsapp',
  payload: z.object({ messageId: Id }),
  attempts: 8,
  timeout: 300_000,
  async run({ messageId }, means) {
    const { db, storage } = means
    const file = await media.find(db, messageId)
    if (file?.state !== 'pending') return
    const known = file.object_id === null ? null : await objects.findAny(db, file.object_id)
    if (known && known.place !== 'incoming') return await settle(db, file, known)
    try {
      const object = known && (await storage.head(known.incoming_key)) ? known : await fetch(file, means)
      if (!object) return
      await acceptUpload({ db, storage }, object).catch((error: unknown) => uncompleted(error, file))
    } catch (error) {
      const reason = getPermanentFailure(error)
      if (reason === undefined) throw error
      return await end(db, messageId, 'failed', reason)
    }
    throw new Later(verdictMs(file))
  },
  async giveUp({ messageId }, _, { db }) {
    await end(db, messageId, 'failed', 'unreachable')
  },
})

type Means = WhatsappTools & { db: DatabasePool; signal: AbortSignal }

async function fetch(file: media.Media, means: Means): Promise<objects.FileObject | null> {
  const [message] = await messages.findMany(means.db, [file.message_id])
  if (!message) return null
  using slot = means.fileSlot()
  if (!slot) throw new Later(slotMs)
  const api = await getNumberApi(means, message.number_id)
  await using folder = await means.scratch.attempt(isMediaName(message.type) ? getMaxBytes(message.type) : 0)
  const { db, storage, signal } = means
  return await storeMedia({ message, file }, api, { db, storage, signal, folder: folder.path })
}

function uncompleted(error: unknown, file: media.Media): never {
  throw error instanceof Problem ? new Later(verdictMs(file), error.message) : error
}

/** Returns the code of a permanent failure. Undefined for a temporary failure. */
function getPermanentFailure(error: unknown): string | undefined {
  if (error instanceof NumberRemovedError) return 'number_removed'
  if (error instanceof FileUnavailableError) return error.code
  if (!(error instanceof CloudApiError) || error.outcome !== 'refused') return undefined
  if (error.httpStatus === 413) return 'too_large'
  if (error.httpStatus === 403) return 'refused'
  return error.httpStatus === 404 || error.code === 100 ? 'gone' : undefined
}

async function settle(db: DatabasePool, file: media.Media, object: objects.FileObject): Promise<void> {
  const { scan_status } = object
  const { message_id: messageId } = file
  if (scan_status === 'pending' || scan_status === 'scanning') throw new Later(verdictMs(file))
  if (scan_status === 'clean') await end(db, messageId, 'stored', null, object)
  else await end(db, messageId, 'refused', scan_status, object)
}

async function end(
  db: DatabasePool,
  messageId: string,
  state: 'stored' | 'refused' | 'failed',
  reason: string | null,
  object?: objects.FileObject,
): Promise<void> {
  await db.transaction(async (tx) => {
    const ended = await media.end(tx, messageId, { state, reason })
    const [message] = ended ? await messages.findMany(tx, [messageId]) : []
    if (!message) return
    await emitMany(tx, [
      {
        orgId: message.org_id,
        type: `whatsapp.media.${state}` as const,
        data: {
          message_id: messageId,
          from: message.phone,
          type: message.type,
          object_id: object?.id ?? null,
          content_type: object?.sniffed_type ?? object?.content_type ?? null,
          byte_size: object?.byte_size ?? null,
          reason,
        },
      },
    ])
  })
}
