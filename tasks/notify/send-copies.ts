import { z } from 'zod'
import { Later } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { type Db, isRowFault } from '#sql/db.ts'
import * as copies from '#sql/notify/copies.ts'
import { enqueueMany } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { acceptChats } from './rules/accept-chats.ts'
import { acceptMails } from './rules/accept-mails.ts'
import { acceptPushes } from './rules/accept-pushes.ts'
import { acceptSms } from './rules/accept-sms.ts'
import { acceptWhatsapps } from './rules/accept-whatsapps.ts'
import { dressMails } from './rules/dress-mails.ts'

export const sendCopies = task({
  name: 'notify/send-copies',
  pool: 'core',
  payload: z.object({ eventIds: z.array(Id) }),
  attempts: 8,
  async run({ eventIds }, { db }) {
    try {
      await db.transaction((tx) => send(tx, eventIds))
    } catch (error) {
      if (eventIds.length === 1 || error instanceof Later || !isRowFault(error)) throw error
      await db.transaction((tx) => sendApart(tx, eventIds))
    }
  },
  giveUp: ({ eventIds }, error, { db }) => copies.giveUp(db, { eventIds }, error),
  revive: ({ eventIds }, { db }) => copies.retryMany(db, { eventIds }),
})

async function send(tx: Db, eventIds: readonly string[]): Promise<void> {
  const waiting = await copies.lockWaiting(tx, { eventIds })
  const { email = [], push = [], whatsapp = [], sms = [], ...chats } = Object.groupBy(waiting, ({ channel }) => channel)
  await acceptMails(
    tx,
    await dressMails(
      tx,
      email.map((copy) => ({ copies: [copy] })),
    ),
  )
  await acceptPushes(tx, push)
  await acceptWhatsapps(tx, whatsapp)
  await acceptSms(tx, sms)
  await acceptChats(tx, Object.values(chats).flat())
}

/** Gives each event its own job, so that one event that cannot be sent does not delay the others. */
async function sendApart(tx: Db, eventIds: readonly string[]): Promise<void> {
  const waiting = await copies.lockWaiting(tx, { eventIds })
  const orgOf = new Map(waiting.map(({ event_id, org_id }) => [event_id, org_id]))
  const events = [...orgOf.keys()]
  await enqueueMany(
    tx,
    sendCopies,
    events.map((id) => ({ eventIds: [id] })),
    (i) => ({ orgId: orgOf.get(events[i] as string) as string }),
  )
}
