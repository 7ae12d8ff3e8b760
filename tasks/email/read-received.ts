import { z } from 'zod'
import { Later } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as received from '#sql/email/received.ts'
import { task } from '../queue/task.ts'
import type { ReceiveTools } from './pools.ts'
import { findAnsweredMessage } from './rules/received/answered.ts'
import { notifyReceived } from './rules/received/event.ts'
import { createFileObjects, findScanStates, storeFiles } from './rules/received/files.ts'
import { rawKey } from './rules/received/keys.ts'
import { ReaderBusyError, type ReadMail, UnreadableError } from './rules/received/reader.ts'

/** Interval between checks of the file scans, and longest wait before the event is sent anyway, in milliseconds. */
const [lookMs, judgedMs] = [1_000, 60_000]

interface Means extends ReceiveTools {
  db: DatabasePool
  signal: AbortSignal
}

/**
 * Reads a received email, has its files scanned and sends the webhook. Each step is stored before the next, so that
 * another worker can continue after a crash.
 */
export const readReceived = task({
  name: 'email/read-received',
  pool: 'mail-transactional',
  payload: z.object({ id: Id }),
  attempts: 12,
  timeout: 5 * 60_000,
  async run({ id }, { db, reader, storage, signal }) {
    const means = { db, reader, storage, signal }
    const taken = await received.findOfAnyOrg(db, id)
    if (!taken || taken.status === 'arriving' || taken.status === 'told') return
    const first = taken.status === 'taken' ? await read(means, taken) : undefined
    const mail = first ? await keep(db, taken, first) : taken
    await storeFiles(means, mail, async () => (first ?? (await read(means, mail)))?.files ?? [])
    const states = await findScanStates(db, mail)
    const isOld = Date.now() - mail.created_at.getTime() > judgedMs
    if (!isOld && [...states.values()].some((state) => state === 'pending' || state === 'scanning'))
      throw new Later(lookMs, 'the files are being scanned')
    const fault = first === null ? 'The file cannot be read as an email. It is stored unchanged.' : undefined
    await db.transaction((tx) => notifyReceived(tx, id, fault))
  },
  async giveUp({ id }, _, { db }) {
    await db.transaction((tx) => notifyReceived(tx, id, 'The email could not be read after several attempts.'))
  },
})

/** Returns null if the email cannot be read. */
async function read({ reader, storage, signal }: Means, mail: received.Received): Promise<ReadMail | null> {
  const { id, sender, remote_address: remoteAddress, helo } = mail
  const fetch = () => storage.readWhole(rawKey(id), signal)
  try {
    return await reader.read({ fetch, sender, remoteAddress, helo }, signal)
  } catch (error) {
    if (error instanceof ReaderBusyError) throw new Later(lookMs, error.message)
    if (error instanceof UnreadableError) return null
    throw error
  }
}

async function keep(db: DatabasePool, mail: received.Received, said: ReadMail): Promise<received.Received> {
  const { answers, files, filesLeftOut, ...parts } = said
  return await db.transaction(async (tx) => {
    const replies_to = await findAnsweredMessage(tx, mail.org_id, answers)
    const attachments = await createFileObjects(tx, mail.org_id, files)
    const fault = filesLeftOut > 0 ? `${filesLeftOut} more files were omitted.` : null
    const kept = await received.setRead(tx, mail.id, { ...parts, replies_to, attachments, fault })
    // Another worker was faster, so the objects belong to the email.
    if (!kept) throw new Later(0, 'another worker has read the email')
    return kept
  })
}
