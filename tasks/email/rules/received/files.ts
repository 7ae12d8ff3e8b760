import { Problem } from '#lib/errors.ts'
import type { Storage } from '#lib/storage/storage.ts'
import * as plans from '#sql/account/plans.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import type { Received, ReceivedFile } from '#sql/email/received.ts'
import * as objects from '#sql/files/objects.ts'
import { acceptUpload, recordUpload } from '../../../files/rules/take-in.ts'
import type { MailFile } from './reader.ts'

const owner = { product_key: 'email', tenant_id: 'received' }

/** Creates an object for each file of an email. If a file exceeds the plan, only this file is refused. */
export async function createFileObjects(tx: Db, orgId: string, files: readonly MailFile[]): Promise<ReceivedFile[]> {
  if (files.length === 0) return []
  const plan = await plans.findForOrganisation(tx, orgId)
  const announced: ReceivedFile[] = []
  for (const { content, ...file } of files) {
    const facts = {
      ...file,
      bytes: content.length,
      filename: nameOf(file.filename),
      content_type: typeOf(file.content_type),
    }
    announced.push({ ...facts, ...(await announceOne(tx, orgId, plan, facts)) })
  }
  return announced
}

async function announceOne(
  tx: Db,
  orgId: string,
  plan: plans.Plan,
  { filename, content_type, bytes }: Pick<ReceivedFile, 'filename' | 'content_type' | 'bytes'>,
): Promise<Pick<ReceivedFile, 'object_id' | 'refused'>> {
  try {
    const { id } = await recordUpload(tx, orgId, plan, { ...owner, filename, content_type, byte_size: bytes })
    return { object_id: id, refused: null }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { object_id: null, refused: error.code }
  }
}

function nameOf(given: string): string {
  const name = given
    .replaceAll(/[/\\\p{Cc}]/gu, '_')
    .slice(0, 255)
    .toWellFormed()
  return name === '' ? 'unnamed' : name
}

/** Returns the media type without parameters. Invalid types become the type for bytes. */
const typeOf = (given: string): string =>
  /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/.test(given) ? given.toLowerCase() : 'application/octet-stream'

/** Stores missing files and starts their scan. After a crash, the files are read from the email again. */
export async function storeFiles(
  { db, storage, signal }: { db: DatabasePool; storage: Storage; signal: AbortSignal },
  mail: Received,
  contents: () => Promise<readonly MailFile[]>,
): Promise<void> {
  const awaited: [number, objects.FileObject][] = []
  for (const [i, { object_id }] of mail.attachments.entries()) {
    const object = object_id === null ? null : await objects.findAny(db, object_id)
    if (object?.place === 'incoming') awaited.push([i, object])
  }
  if (awaited.length === 0) return
  const files = await contents()
  for (const [i, object] of awaited) {
    const content = files[i]?.content
    if (!content) continue
    await storage.put(object.incoming_key, content, { contentType: object.content_type, signal })
    await acceptUpload({ db, storage }, object)
  }
}

/** Returns the scan state of each file by its object. Omits deleted objects. */
export async function findScanStates(
  db: Db,
  ...mails: readonly Pick<Received, 'attachments'>[]
): Promise<ReadonlyMap<string, objects.ScanStatus>> {
  const ids = mails.flatMap(({ attachments }) => attachments.flatMap(({ object_id }) => object_id ?? []))
  return await objects.statuses(db, ids)
}
