import { z } from 'zod'
import { Later } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as invitations from '#sql/account/people/invitations.ts'
import * as platform from '#sql/account/platform.ts'
import { task } from '../queue/task.ts'
import { joinUrl } from './rules/join-url.ts'
import { oneLine, renderLetter } from './rules/letter.ts'
import { platformSender, sendPlatformMail } from './rules/platform-mail.ts'

/**
 * Maximum number of platform emails per address and day. Further invitations wait. This prevents customers from sending
 * email to arbitrary people.
 */
const mailsADay = 10

const laterMs = 3_600_000

/**
 * Sends a pending invitation. Only the email contains the link, so opening the link proves that the recipient reads
 * this address.
 */
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
  const expires = expires_at.toISOString().slice(0, 16).replace('T', ' ')
  return renderLetter({
    subject: `You are invited to ${name} on Millrace`,
    title: `Join ${name} on Millrace`,
    organisation: name,
    parts: [
      `${inviter === null ? 'You are invited' : `${oneLine(inviter)} invites you`} to join ${name} on Millrace. Your role is ${role}.`,
      { words: 'Accept the invitation here:', button: 'Accept invitation', url: joinUrl(token) },
      `The link works once and expires at ${expires} UTC.`,
    ],
    why: 'If you do not expect this invitation, ignore this email.',
  })
}
