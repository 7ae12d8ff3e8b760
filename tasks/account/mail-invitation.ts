import { z } from 'zod'
import { Later } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as invitations from '#sql/account/invitations.ts'
import * as platform from '#sql/account/platform.ts'
import { task } from '../queue/task.ts'
import { joinUrl } from './rules/join-url.ts'
import { platformSender, sendPlatformMail } from './rules/platform-mail.ts'

/** Mails of the platform that an address gets in a day before invitations wait: no customer has it write to a stranger at will. */
const mailsADay = 10

const laterMs = 3_600_000

/** Mails an invitation that waits to be sent; its link is in the mail alone, so that who has it reads that address's mail. */
export const mailInvitation = task({
  name: 'account/mail-invitation',
  pool: 'mail-transactional',
  payload: z.object({ invitationId: Id }),
  attempts: 12,
  async run({ invitationId }, { db, secret }) {
    const sender = await platformSender(db, secret)
    await db.transaction(async (tx) => {
      const invitation = await invitations.lockUnsent(tx, invitationId)
      if (!invitation) return
      if ((await platform.countMailed(tx, invitation.email)) >= mailsADay) {
        throw new Later(laterMs, `The platform has sent ${mailsADay} emails to this address within a day`)
      }
      const token = await invitations.send(tx, invitationId)
      await sendPlatformMail(tx, sender, { to: invitation.email, ...letter(invitation, token) })
    })
  },
})

function letter(
  { org_name, role, inviter, expires_at }: NonNullable<Awaited<ReturnType<typeof invitations.lockUnsent>>>,
  token: string,
) {
  const name = oneLine(org_name)
  return {
    subject: `You are invited to ${name} on Millrace`,
    text: `${inviter === null ? 'You are invited' : `${oneLine(inviter)} invites you`} to join ${name} on Millrace. Your role is ${role}.

Accept the invitation here:
${joinUrl(token)}

The link works once and expires at ${expires_at.toISOString().slice(0, 16).replace('T', ' ')} UTC. If you do not expect this invitation, ignore this email.
`,
  }
}

/** What customers call themselves, without line breaks and without a link that a mail program would make of it. */
const oneLine = (text: string): string =>
  text
    .replace(/[\s\u2028\u2029]+/g, ' ')
    .replace(/[/.:@]/g, '·')
    .slice(0, 80)
