import { z } from 'zod'
import { appUrl } from '#lib/config.ts'
import { Id } from '#lib/ids.ts'
import * as platform from '#sql/account/platform.ts'
import { findMail } from '#sql/bots/assignments.ts'
import { oneLine, renderLetter } from '../account/rules/letter.ts'
import { platformSender, sendPlatformMails } from '../account/rules/platform-mail.ts'
import { task } from '../queue/task.ts'

/** Maximum number of platform emails per address and day. Further assignments are shown only in the inbox. */
const mailsADay = 20

/** Notifies a member of a conversation that another person assigned to them. The email does not quote the conversation. */
export const mailAssignment = task({
  name: 'bots/mail-assignment',
  pool: 'mail-transactional',
  payload: z.object({ assignmentId: Id }),
  attempts: 5,
  async run({ assignmentId }, { db, secret, own, log }) {
    const told = await findMail(db, assignmentId)
    // The conversation can have another assignee by now.
    if (!told || (await platform.countMailed(db, told.email)) >= mailsADay) return
    const sender = await platformSender(db, secret)
    const [refused] = await own((tx) => sendPlatformMails(tx, sender, [{ to: told.email, ...letter(told) }]))
    if (refused !== undefined) log.warn({ org_id: told.org_id, why: refused }, 'an assignment email could not be sent')
  },
})

function letter({ org_name, bot_name, by_name, conversation_id }: NonNullable<Awaited<ReturnType<typeof findMail>>>) {
  const [name, bot] = [oneLine(org_name), oneLine(bot_name)]
  return renderLetter({
    subject: `A conversation with ${bot} is assigned to you`,
    title: 'A conversation is assigned to you',
    organisation: name,
    parts: [
      `${by_name === null ? 'An API key' : oneLine(by_name)} assigned you a conversation with the bot ${bot}.`,
      {
        words: 'Read and answer the conversation here:',
        button: 'Open conversation',
        url: `${appUrl()}/app/bots/inbox/${conversation_id}`,
      },
    ],
    why: `You receive this email because you are a member of ${name}.`,
  })
}
