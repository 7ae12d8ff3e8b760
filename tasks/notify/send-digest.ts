import { z } from 'zod'
import { Later } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { isHeld } from '#sql/account/move/moves.ts'
import * as copies from '#sql/notify/copies.ts'
import * as digests from '#sql/notify/digests.ts'
import { task } from '../queue/task.ts'
import { acceptMails } from './rules/accept-mails.ts'
import { checkDigest } from './rules/check-digest.ts'
import { dressMails, type PlainMail } from './rules/dress-mails.ts'

/** Delay in milliseconds for a window whose organisation moves to another cell. */
const heldMs = 10_000

/** Sends a window’s copies that can still be sent, as one email per pair of email addresses. Then ends the window. */
export const sendDigest = task({
  name: 'notify/send-digest',
  pool: 'core',
  payload: z.object({ digestId: Id }),
  attempts: 8,
  async run({ digestId }, { db }) {
    await db.transaction(async (tx) => {
      const digest = await digests.lock(tx, digestId)
      if (!digest) return
      const early = digest.due_at.getTime() - Date.now()
      if (digest.sent_at === null && early > 1_000) throw new Later(early)
      if (await isHeld(tx, digest.org_id)) throw new Later(heldMs, 'The organisation is being moved.')
      const waiting = await copies.lockWaiting(tx, { digestId })
      const { sound, refused } = await checkDigest(tx, waiting)
      await copies.endMany(tx, refused)
      await acceptMails(tx, await dressMails(tx, mailsOf(sound)))
      await digests.end(tx, digestId)
    })
  },
  async giveUp({ digestId }, error, { db }) {
    await db.transaction(async (tx) => {
      await digests.lock(tx, digestId)
      await copies.giveUp(tx, { digestId }, error)
      await digests.end(tx, digestId)
    })
  },
  revive: ({ digestId }, { db }) => copies.retryMany(db, { digestId }),
})

function mailsOf(waiting: readonly copies.WaitingCopy[]): PlainMail[] {
  const groups = Map.groupBy(waiting, ({ recipient, is_contact, sender, from_domains }) =>
    JSON.stringify([recipient, is_contact, sender, from_domains]),
  )
  return [...groups.values()].map((group) => ({ copies: group as [copies.WaitingCopy, ...copies.WaitingCopy[]] }))
}
