import { z } from 'zod'
import { config } from '#lib/config.ts'
import { Id, newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as inbound from '#sql/email/inbound.ts'
import type { Message } from '#sql/email/messages.ts'
import { isSimulated, simulatedReceiver, simulatorDomain } from '#sql/email/simulator.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { returnLocalPart } from './rules/received/return-path.ts'
import { recordFeedback } from './rules/reports/record-feedback.ts'
import { readReport } from './rules/reports/report.ts'

/** Sends a complaint report for a message, in the format of a mailbox provider. */
export const simulateComplaint = task({
  name: 'email/simulate-complaint',
  pool: 'mail-transactional',
  payload: z.object({ messageId: Id }),
  attempts: 12,
  async run({ messageId }, { db, secret }) {
    const message = await inbound.findReturned(db, messageId)
    if (!message || !isSimulated(message.to_email)) return
    const report = await readReport(reportOf(message, secret))
    if (report?.kind !== 'feedback') throw new Error('The report of the simulated receiver cannot be read.')
    await db.transaction(async (tx) => {
      const { kind, detail } = await recordFeedback(tx, report, secret)
      const about = { org_id: message.org_id, message_id: message.id }
      await inbound.insert(tx, { id: newId(), kind, ...about, remote_address: '127.0.0.1', detail })
    })
  },
})

export async function reportComplaints(
  tx: Db,
  taken: readonly Pick<Message, 'id' | 'org_id' | 'to_email'>[],
): Promise<void> {
  for (const { id, org_id, to_email } of taken) {
    if (!isSimulated(to_email) || simulatedReceiver(to_email) !== 'complained') continue
    await enqueue(tx, simulateComplaint, { messageId: id }, { orgId: org_id })
  }
}

/** Creates a feedback report (RFC 5965) with the header of the message. */
function reportOf({ id, to_email, from_email, message_id }: inbound.ReturnedMessage, secret: string): Buffer {
  const boundary = `=_${id}`
  const part = (type: string, ...lines: string[]) => [`--${boundary}`, `Content-Type: ${type}`, '', ...lines, '']
  const lines = [
    `From: <complaints@${simulatorDomain()}>`,
    `To: <complaints@${config.MAIL_HOSTNAME}>`,
    'Subject: A complaint',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=feedback-report; boundary="${boundary}"`,
    '',
    ...part('text/plain; charset=utf-8', 'The simulated receiver has reported a message as spam.'),
    ...part(
      'message/feedback-report',
      'Feedback-Type: abuse',
      'User-Agent: Millrace-Simulator/1',
      'Version: 1',
      `Original-Mail-From: <${returnLocalPart('b', id, secret)}@${config.MAIL_HOSTNAME}>`,
      `Original-Rcpt-To: <${to_email}>`,
    ),
    ...part('text/rfc822-headers', `From: <${from_email}>`, `To: <${to_email}>`, `Message-ID: <${message_id}>`),
    `--${boundary}--`,
    '',
  ]
  return Buffer.from(lines.join('\r\n'))
}
