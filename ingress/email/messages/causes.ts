import type { Message } from '#sql/email/messages.ts'
import type { ClassName } from '#tasks/email/rules/replies/classes.ts'

export interface Cause {
  why: string
  todo: string
}

const later = 'Nothing to do now. Millrace retries for up to two days.'
const ask = 'Remove the address from your lists, or ask the recipient for another one.'

/** What each class of replies means for the sender, and what to do. */
const byClass: Readonly<Record<ClassName, Cause>> = {
  invalid_recipient: { why: 'The receiving server does not know this address.', todo: `Check the spelling. ${ask}` },
  invalid_domain: { why: 'The domain of this address does not receive email.', todo: `Check the spelling. ${ask}` },
  owner_changed: { why: 'This address belongs to a new owner since you last used it.', todo: ask },
  recipient_disabled: { why: 'The mailbox of this recipient is disabled.', todo: ask },
  mailbox_full: {
    why: 'The mailbox of this recipient is full.',
    todo: 'Reach the recipient in another way, and send the message again later.',
  },
  recipient_busy: { why: 'The mailbox receives too much email at the moment.', todo: later },
  too_large: {
    why: 'The message is larger than the receiving server allows.',
    todo: 'Send a link to the file instead of an attachment.',
  },
  content: {
    why: 'The receiving server rejected the content as spam or malware.',
    todo: 'Check links, attachments and wording. Send only to recipients who expect the message.',
  },
  policy: {
    why: 'A rule of the receiving server rejected the message.',
    todo: 'Read the server reply below. Ask the recipient to allow your address.',
  },
  authentication: {
    why: 'The receiving server could not verify your domain with SPF, DKIM or DMARC.',
    todo: 'Open the domain page and publish the records that are missing or different.',
  },
  bad_sender: {
    why: 'The receiving server rejected the sender address.',
    todo: 'Send from an address that exists and can receive replies.',
  },
  blocked: {
    why: 'The receiving server blocks the IP address of this installation.',
    todo: 'Ask the operator of this installation to read the server reply and request removal from the list.',
  },
  greylisted: { why: 'The receiving server asked for a second attempt.', todo: later },
  rate_limited: { why: 'The receiving server limits the amount of email that it accepts.', todo: later },
  complained_about: {
    why: 'The receiving server limits this installation because its users complained.',
    todo: 'Send only to recipients who expect your messages. Millrace retries later.',
  },
  closing: { why: 'The receiving server closed the connection.', todo: later },
  temporary: { why: 'The receiving server has a temporary problem.', todo: later },
  unreachable: { why: 'The receiving server cannot be reached.', todo: later },
  broken: { why: 'The connection to the receiving server broke.', todo: later },
  unanswered: { why: 'The receiving server did not confirm the message.', todo: later },
  dns: { why: 'The mail servers of the domain cannot be looked up.', todo: later },
  tls: { why: 'The receiving server does not offer the encryption that is required.', todo: later },
  mta_sts: { why: 'The receiving server does not match the security policy of its domain.', todo: later },
  routing: {
    why: 'The receiving server cannot forward the message to this recipient.',
    todo: 'Tell the administrator of the recipient’s domain, or use another address.',
  },
  loop: {
    why: 'The receiving servers send the message in a circle.',
    todo: 'Tell the administrator of the recipient’s domain, or use another address.',
  },
  protocol: {
    why: 'The receiving server rejected a command that Millrace sent.',
    todo: 'Send the message again. If it fails again, report the server reply to the operator.',
  },
  unknown: {
    why: 'The receiving server rejected the message without a clear reason.',
    todo: 'Read the server reply below. A second rejection within a day suppresses the address.',
  },
  expired: {
    why: 'The receiving server accepted no attempt within the delivery time.',
    todo: 'Send the message again later, or reach the recipient in another way.',
  },
  unsignable: {
    why: 'The message could not be signed for your domain.',
    todo: 'Open the domain page and publish its DKIM records. Then send the message again.',
  },
  too_costly: {
    why: 'The message is too large or too complex to be created.',
    todo: 'Send less HTML, or add a text part of your own.',
  },
}

const named = (name: string | null): Cause | undefined =>
  name !== null && Object.hasOwn(byClass, name) ? byClass[name as ClassName] : undefined

const byStatus: Partial<Record<Message['status'], Cause>> = {
  suppressed: {
    why: 'The address is suppressed, so Millrace did not send the message.',
    todo: 'Remove the suppression only if you know that the address works and wants your email.',
  },
  complained: {
    why: 'The recipient marked the message as spam.',
    todo: 'Do not write to this recipient again. The suppression is permanent.',
  },
  bounced: { why: 'The receiving server rejected the message.', todo: 'Read the server reply below.' },
  failed: { why: 'Millrace could not send the message.', todo: 'Read the reason below.' },
}

/** Returns why a message did not arrive and what to do. Undefined for messages without a problem. */
export function findCause({ status, reply_class }: Pick<Message, 'status' | 'reply_class'>): Cause | undefined {
  if (status === 'suppressed' || status === 'complained') return byStatus[status]
  if (status === 'deferred') return named(reply_class)
  const otherwise = byStatus[status]
  return otherwise && (named(reply_class) ?? otherwise)
}
