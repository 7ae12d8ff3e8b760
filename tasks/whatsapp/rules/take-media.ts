import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Permanent, Problem } from '#lib/errors.ts'
import type { Storage } from '#lib/storage/storage.ts'
import * as plans from '#sql/account/plans.ts'
import type { DatabasePool } from '#sql/db.ts'
import type * as objects from '#sql/files/objects.ts'
import * as media from '#sql/whatsapp/media.ts'
import type { Message } from '#sql/whatsapp/messages.ts'
import { recordUpload } from '../../files/rules/take-in.ts'
import type { IncomingFile, NumberApi } from '../engine.ts'
import { getMaxBytes, isMediaName, removeTypeParameters } from './media-limits.ts'

const owner = { product_key: 'whatsapp', tenant_id: 'whatsapp' }

export class FileUnavailableError extends Error {
  override name = 'FileUnavailableError'
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}

interface Means {
  db: DatabasePool
  storage: Storage
  folder: string
  signal: AbortSignal
}

/**
 * Fetches a received file and stores it as an upload. Returns its object. Does not trust the sender: counts the bytes
 * and checks Meta's hash.
 */
export async function storeMedia(
  { message, file }: { message: Message; file: media.Media },
  api: NumberApi,
  means: Means,
): Promise<objects.FileObject> {
  const { db, storage, folder, signal } = means
  if (!isMediaName(message.type)) throw new Permanent('The message is not a file.')
  const incoming = await api.download(file.provider_media_id, getMaxBytes(message.type), signal)
  const path = join(folder, 'file')
  const { size, sha256 } = await written(incoming, path, signal)
  const type = mediaType(incoming.type)
  const facts = {
    ...owner,
    filename: filenameOf(message, type),
    content_type: type,
    byte_size: size,
    checksum_sha256: sha256,
  }
  const object = await db.transaction(async (tx) => {
    const announced = await recordUpload(
      tx,
      message.org_id,
      await plans.findForOrganisation(tx, message.org_id),
      facts,
    ).catch(unplanned)
    if (!(await media.saveObject(tx, message.id, { objectId: announced.id, before: file.object_id })))
      throw new Permanent('Another attempt has the file.')
    return announced
  })
  await storage.upload(path, object.incoming_key, { contentType: type, signal })
  return object
}

async function written(incoming: IncomingFile, path: string, signal: AbortSignal) {
  const hash = createHash('sha256')
  let size = 0
  async function* counted(chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      hash.update(chunk)
      size += chunk.length
      yield chunk
    }
  }
  await pipeline(incoming.bytes, counted, createWriteStream(path), { signal })
  const digest = hash.digest()
  // The webhook uses base64, the API uses hexadecimal.
  const named = [undefined, digest.toString('hex'), digest.toString('base64')]
  if (!named.includes(incoming.sha256)) throw new FileUnavailableError('damaged')
  return { size, sha256: digest.toString('hex') }
}

function mediaType(type: string): string {
  const bare = removeTypeParameters(type)
  const parts = bare.split('/')
  const isToken = (part: string) => part !== '' && [...part].every((letter) => tokenLetters.has(letter))
  return parts.length === 2 && parts.every(isToken) ? bare : 'application/octet-stream'
}

const tokenLetters = new Set('abcdefghijklmnopqrstuvwxyz0123456789!#$&^_.+-')

function filenameOf({ id, type, content }: Message, mime: string): string {
  const { filename } = content
  const given = typeof filename === 'string' ? [...filename.toWellFormed()].filter(isOfName).join('').trim() : ''
  if (given !== '') return given.slice(-200).toWellFormed()
  return `${type}-${id}.${mime.split('/')[1] ?? 'bin'}`
}

const isOfName = (letter: string) => letter >= ' ' && letter !== '\u007f' && !'/\\'.includes(letter) && !isC1(letter)
const isC1 = (letter: string) => letter >= '\u0080' && letter <= '\u009f'

/** If the plan is full, the file fails permanently. This is not an error of the job. */
function unplanned(error: unknown): never {
  throw error instanceof Problem ? new FileUnavailableError(error.code) : error
}
