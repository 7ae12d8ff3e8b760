import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as copies from '#sql/notify/copies.ts'
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
    await db.transaction(async (tx) => {
      const waiting = await copies.lockWaiting(tx, { eventIds })
      const {
        email = [],
        push = [],
        whatsapp = [],
        sms = [],
        ...chats
      } = Object.groupBy(waiting, ({ channel }) => channel)
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
    })
  },
  giveUp: ({ eventIds }, error, { db }) => copies.giveUp(db, { eventIds }, error),
  revive: ({ eventIds }, { db }) => copies.retryMany(db, { eventIds }),
})
