import { publicUrl } from '#lib/config.ts'
import { toStorableText } from '#lib/outside-text.ts'
import type { Db } from '#sql/db.ts'
import * as received from '#sql/email/received.ts'
import type { ScanStatus } from '#sql/files/objects.ts'
import { listenToEmail } from '../../../bots/rules/channels/listen.ts'
import { emit } from '../../../webhooks/rules/emit.ts'
import { findScanStates } from './files.ts'

/** Maximum lengths and number of fields in an event. The complete email is available by its ID. */
const most = { text: 16_384, fields: 50, value: 500 }

/** Sends the webhook of an email once. `fault`: the reason why the email could not be read. */
export async function notifyReceived(tx: Db, id: string, fault?: string): Promise<void> {
  const mail = await received.markNotified(tx, id, fault)
  if (!mail) return
  await listenToEmail(tx, mail)
  const states = await findScanStates(tx, mail)
  const text = mail.text ?? ''
  await emit(tx, mail.org_id, 'email.received', {
    id: mail.id,
    route_id: mail.route_id,
    recipient: mail.recipient,
    sender: mail.sender,
    from: mail.from_email === null ? null : { email: mail.from_email, name: mail.from_name },
    to: mail.to_emails,
    subject: mail.subject,
    message_id: mail.message_id,
    replies_to: mail.replies_to,
    auto_submitted: mail.auto_submitted,
    no_auto_reply: mail.no_auto_reply,
    text: mail.text && toStorableText(mail.text, most.text),
    reply: mail.reply && toStorableText(mail.reply, most.text),
    is_cut: text.length > most.text,
    headers: mail.headers
      .slice(0, most.fields)
      .map(({ name, value }) => ({ name, value: toStorableText(value, most.value) })),
    authentication: mail.authentication,
    attachments: viewFiles(mail, states),
    fault: mail.fault,
    received_at: mail.created_at.toISOString(),
  })
}

export interface FileView extends Omit<received.ReceivedFile, 'refused'> {
  /** `refused`: the file exceeded the plan. `deleted`: the file was deleted later. */
  scan_status: ScanStatus | 'refused' | 'deleted'
  /** URL for a POST that returns a download link. Null unless the file is clean. */
  url: string | null
}

export const viewFiles = (
  { id, attachments }: Pick<received.Received, 'id' | 'attachments'>,
  states: ReadonlyMap<string, ScanStatus>,
): FileView[] =>
  attachments.map(({ refused: _, ...file }) => {
    const scan_status = file.object_id === null ? 'refused' : (states.get(file.object_id) ?? 'deleted')
    const path = `/send/v1/received/${id}/attachments/${file.object_id}/download-url`
    return { ...file, scan_status, url: scan_status === 'clean' ? publicUrl() + path : null }
  })
