import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { config } from '#lib/config.ts'
import { getDomain } from '#lib/email-address.ts'
import { Id } from '#lib/ids.ts'
import { isReturnPath } from '#sql/email/inbound.ts'
import * as operatorMail from '#sql/email/operator-mail.ts'
import { task } from '../queue/task.ts'
import { forward } from './rules/received/forward.ts'

/** Header field that identifies an email forwarded by this installation. */
export const forwardedField = 'X-Millrace-Forwarded'

let hasWarned = false

export const forwardOperatorMail = task({
  name: 'email/forward-operator-mail',
  pool: 'mail-transactional',
  payload: z.object({ id: Id }),
  attempts: 12,
  timeout: 10 * 60_000,
  async run({ id }, { mail, db, signal, log }) {
    const to = config.MAIL_POSTMASTER
    const kept = await operatorMail.find(db, id)
    if (to === undefined || !kept || kept.forwarded_at) return
    // An email to this installation’s own address would return to this task.
    const domain = getDomain(to)
    if (domain === config.MAIL_HOSTNAME || (await isReturnPath(db, domain))) {
      if (!hasWarned)
        log.warn({ domain }, 'MAIL_POSTMASTER is an address of this installation, so nothing is forwarded to it')
      hasWarned = true
      return
    }
    await forward(mail, { to, id, bytes: wrapped(kept, to) }, signal)
    await operatorMail.setForwarded(db, id)
  },
})

/**
 * Attaches the unchanged original to a new email, so that no part of the original looks like text of this installation.
 */
function wrapped(
  { id, sender, recipient, remote_network, content, created_at }: operatorMail.OperatorMail,
  to: string,
) {
  const host = config.MAIL_HOSTNAME
  // The boundary is random, so that the original email cannot end its own part.
  const boundary = `=_${randomBytes(12).toString('hex')}`
  const head = [
    `From: Millrace <postmaster@${host}>`,
    `To: <${to}>`,
    `Subject: Email to ${recipient}`,
    `Date: ${created_at.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${id}@${host}>`,
    'Auto-Submitted: auto-generated',
    `${forwardedField}: ${host}`,
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    '',
    `--${boundary}`,
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    '',
    `This email came from ${sender === '' ? 'nobody (<>)' : sender}, sent by a server of ${remote_network}.`,
    '',
    `--${boundary}`,
    'Content-Type: message/rfc822',
    'Content-Disposition: attachment; filename="mail.eml"',
    'Content-Transfer-Encoding: 8bit',
    '',
    '',
  ]
  const inner = content.toString('latin1').replace(/\r\n|\r|\n/g, '\r\n')
  return Buffer.concat([Buffer.from(head.join('\r\n')), Buffer.from(`${inner}\r\n--${boundary}--\r\n`, 'latin1')])
}
