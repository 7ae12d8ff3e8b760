import { isIPv4 } from 'node:net'
import { config } from '#lib/config.ts'
import { toDomain } from '#lib/email-address.ts'
import { getIdTime } from '#lib/ids.ts'
import { getNetwork } from '#lib/network/network.ts'
import type { Db } from '#sql/db.ts'
import * as pastRecipients from '#sql/email/contacts/past-recipients.ts'
import * as inbound from '#sql/email/inbound.ts'
import * as inboundRoutes from '#sql/email/inbound-routes.ts'
import * as received from '#sql/email/received.ts'
import type { ReportedDomain } from '#tasks/email/rules/aggregate/record-report.ts'
import { readReportLocalPart } from '#tasks/email/rules/aggregate/report-address.ts'
import { inboundHost } from '#tasks/email/rules/received/inbound-host.ts'
import { readReturnLocalPart } from '#tasks/email/rules/received/return-path.ts'
import { receivedStorage } from '#tasks/email/rules/received/storage.ts'
import { RefusalError } from './refusal.ts'
import { findReportedDomain } from './take-report.ts'

export type Purpose =
  | { kind: 'return'; message: inbound.ReturnedMessage }
  | { kind: 'unsubscribe'; message: UnsubscribeTarget }
  | { kind: 'feedback' }
  | { kind: 'domain_report'; domain: ReportedDomain; sender: string }
  | { kind: 'operator'; sender: string; recipient: string }
  | { kind: 'route'; route: inboundRoutes.MatchedRoute; sender: string; recipient: string; network: string }

export type UnsubscribeTarget = Pick<inbound.ReturnedMessage, 'id' | 'org_id' | 'to_email'>

/** Mailboxes that every host has (RFC 2142 §2 and §5, RFC 5321 §4.5.1). They also receive feedback reports. */
const operatorMailboxes = new Set(['abuse', 'postmaster'])

/** Time in days after which bounces are rejected. Servers stop retrying after five days (RFC 5321 §4.5.4.1). */
const returnDays = 14

/**
 * Returns the purpose of an email address of this installation. Throws for any other address, so email is never
 * relayed.
 */
export async function resolveRecipient(
  db: Db,
  { address, sender, remoteAddress }: { address: string; sender: string; remoteAddress: string },
  secret: string,
): Promise<Purpose> {
  const [local, host] = partsOf(address)
  const isOurs = host === config.MAIL_HOSTNAME
  if (isOurs && local === 'complaints') return { kind: 'feedback' }
  const reported = isOurs ? readReportLocalPart(local) : null
  if (reported !== null) return { kind: 'domain_report', domain: await findReportedDomain(db, reported), sender }
  if (!isOurs && !(await inbound.isReturnPath(db, host)))
    return await purposeOfRoute(db, [local, host], sender, remoteAddress)
  if (operatorMailboxes.has(local)) return { kind: 'operator', sender, recipient: `${local}@${host}` }
  return await purposeOfMessage(db, local, sender, secret)
}

async function purposeOfRoute(
  db: Db,
  [local, host]: [local: string, host: string],
  sender: string,
  remoteAddress: string,
): Promise<Purpose> {
  const recipient = `${local}@${host}`
  const isShared = host === inboundHost()
  if (isShared && operatorMailboxes.has(local)) return { kind: 'operator', sender, recipient }
  const route = await inboundRoutes.findMatch(db, host, local)
  if (!route) {
    const isKnown = isShared || (await inboundRoutes.hasHost(db, host))
    throw new RefusalError(550, isKnown ? 'No such mailbox here' : 'Relay access denied')
  }
  const network = getNetwork(remoteAddress, isIPv4(remoteAddress) ? 24 : 48)
  if (!(await received.hasRoom(db, route.org_id, network))) throw tooMuchMail()
  const { used, limit, isFull } = await receivedStorage(db, route.org_id)
  if (isFull || used >= limit) throw mailboxFull()
  return { kind: 'route', route, sender, recipient, network }
}

/** The error is temporary, so the sender retries. */
export const tooMuchMail = (): RefusalError => new RefusalError(451, 'Too much email for this address, try again later')

/** The error is temporary, so the sender retries. */
export const mailboxFull = (): RefusalError => new RefusalError(452, 'The mailbox is full')

function partsOf(address: string): [local: string, host: string] {
  // `postmaster` is the only mailbox that needs no host (RFC 5321 §4.5.1).
  if (address.toLowerCase() === 'postmaster') return ['postmaster', config.MAIL_HOSTNAME]
  const at = address.lastIndexOf('@')
  const given = address.slice(at + 1).toLowerCase()
  return [address.slice(0, at).toLowerCase(), toDomain(given) ?? given]
}

async function purposeOfMessage(db: Db, local: string, sender: string, secret: string): Promise<Purpose> {
  const bounced = readReturnLocalPart('b', local, secret)
  const messageId = bounced ?? readReturnLocalPart('u', local, secret)
  if (messageId === null) throw new RefusalError(550, 'No such mailbox here')
  if (bounced !== null) demandReport(messageId, sender)
  else if (sender === '') throw new RefusalError(550, 'A report cannot unsubscribe a recipient')
  const message = await inbound.findReturned(db, messageId)
  if (message) return { kind: bounced === null ? 'unsubscribe' : 'return', message }
  const past = bounced === null ? await pastRecipients.find(db, messageId) : null
  if (!past) throw new RefusalError(550, 'The message no longer exists')
  return { kind: 'unsubscribe', message: { id: messageId, org_id: past.org_id, to_email: past.to_email } }
}

/** A report has no sender (RFC 3464 §2), so a report never causes another report. */
function demandReport(messageId: string, sender: string): void {
  if (sender !== '') throw new RefusalError(550, 'This address accepts only delivery reports from <>')
  if (Date.now() - getIdTime(messageId) > returnDays * 86_400_000)
    throw new RefusalError(550, `The message was sent more than ${returnDays} days ago`)
}
