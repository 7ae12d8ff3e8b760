import type { ClassName } from '#tasks/email/rules/replies/classes.ts'

/** What servers see of us in these replies. */
export const us = ['203.0.113.7', 'mta1.platform.example', '2001:db8::7']

/** The message that they refuse. */
export const message = {
  to_email: 'ann@rcpt.example',
  from_email: 'news@shop.example',
  from_name: 'Shop',
  subject: 'Your order',
}

/** A reply that a server gives, and what it means. */
export interface Wording {
  reply: string
  /** `RCPT` unless said. */
  stage?: string
  is: ClassName
  /** The MX set is left alone, for all mail from this address. */
  suspends?: true
  /** What the message says of itself, where the reply repeats it. */
  said?: Partial<typeof message>
}

/** Replies of providers and mail servers, as their operators and users have published them. */
export const wordings: readonly Wording[] = [
  // Recipients that do not exist.
  {
    reply:
      '550-5.1.1 The email account that you tried to reach does not exist.\n550 5.1.1 https://support.google.com/mail/?p=NoSuchUser d2e1a72 - gsmtp',
    is: 'invalid_recipient',
  },
  { reply: '550 5.1.1 <spamhaus-fan@example.net>: Recipient address rejected: User unknown', is: 'invalid_recipient' },
  {
    reply: '550 5.1.1 <spam@example.net>: Recipient address rejected: User unknown in virtual mailbox table',
    is: 'invalid_recipient',
  },
  {
    reply: '550 5.1.1 <virus.desk@example.net>: Recipient address rejected: User unknown in local recipient table',
    is: 'invalid_recipient',
  },
  { reply: '550 5.1.1 spamhaus-fan@example.net unknown or illegal user', is: 'invalid_recipient' },
  { reply: '550 5.1.1 Message rejected as spam by content filtering', is: 'invalid_recipient' },
  {
    reply: '550 5.1.1 <dkim@example.net>: Email address could not be found, or was misspelled (G8)',
    is: 'invalid_recipient',
  },
  {
    reply: '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ann@rcpt.example not found by SMTP address lookup',
    is: 'invalid_recipient',
    stage: 'DOT',
  },
  {
    reply: '550 5.4.1 Recipient address rejected: Access denied. [AM7EUR06FT048.eop-eur06.prod.protection.outlook.com]',
    is: 'invalid_recipient',
  },
  { reply: '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).', is: 'invalid_recipient' },
  {
    reply:
      "554 delivery error: dd This user doesn't have a yahoo.com account (ann@rcpt.example) [0] - mta4219.mail.bf1.yahoo.com",
    is: 'invalid_recipient',
    stage: 'DOT',
  },
  { reply: '552 1 Requested mail action aborted, mailbox not found', is: 'invalid_recipient' },
  { reply: '550 5.1.1 unknown or illegal alias: ann@icloud.com', is: 'invalid_recipient' },
  {
    reply:
      '550 Requested action not taken: mailbox unavailable\n550 For explanation visit https://postmaster.gmx.net/en/error-messages?ip=203.0.113.7&c=hp',
    is: 'invalid_recipient',
  },
  {
    reply: '550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. OFR_416 [416]',
    is: 'invalid_recipient',
  },
  {
    reply: '550 Message was not accepted -- invalid mailbox. Local mailbox ann@mail.ru is unavailable: user not found',
    is: 'invalid_recipient',
    stage: 'DOT',
  },
  { reply: '550 Unrouteable address', is: 'invalid_recipient' },
  { reply: '550 sorry, no mailbox here by that name. (#5.1.1)', is: 'invalid_recipient' },
  { reply: '550 <ann@rcpt.example>... User unknown', is: 'invalid_recipient' },
  { reply: '550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550 [abc]', is: 'invalid_recipient' },
  { reply: '550 No such user: ann', is: 'invalid_recipient' },
  {
    reply: '550 5.7.1 <spamhaus.reports@example.net>: Recipient address rejected: undeliverable address: User unknown',
    is: 'invalid_recipient',
  },
  { reply: '550 User unknown', is: 'invalid_recipient', said: { subject: 'User' } },
  { reply: '550 5.1.2 Host unknown (Name server: host not found)', is: 'invalid_domain' },
  { reply: '556 5.1.10 Domain does not accept mail (nullMX)', is: 'invalid_domain' },
  { reply: '550 5.2.1 The email account that you tried to reach is inactive. gsmtp', is: 'recipient_disabled' },
  {
    reply: '554 30 Sorry, your message to ann@rcpt.example cannot be delivered. This mailbox is disabled (554.30).',
    is: 'recipient_disabled',
    stage: 'DOT',
  },
  { reply: '550 Account ann is suspended', is: 'recipient_disabled' },
  { reply: '552 5.2.2 <ann@rcpt.example>: user is over quota', is: 'mailbox_full' },
  {
    reply:
      "452-4.2.2 The recipient's inbox is out of storage space.\n452 4.2.2 https://support.google.com/mail/?p=OverQuotaTemp - gsmtp",
    is: 'mailbox_full',
  },
  { reply: '552 Requested mail action aborted: exceeded storage allocation. Quota exceeded', is: 'mailbox_full' },
  {
    reply: '554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException',
    is: 'mailbox_full',
    stage: 'DOT',
  },
  // The message.
  {
    reply: "552-5.3.4 Your message exceeded Google's message size limits.\n552 5.3.4 gsmtp",
    is: 'too_large',
    stage: 'MAIL',
  },
  { reply: '552 5.3.4 Message size exceeds fixed limit', is: 'too_large', stage: 'MAIL' },
  { reply: '554 5.7.1 Message rejected: a link in it is listed at dbl.spamhaus.org', is: 'content', stage: 'DOT' },
  {
    reply:
      '554 5.7.1 Message from mta1.platform.example [203.0.113.7] rejected: a URL in the body is listed at dbl.spamhaus.org',
    is: 'content',
    stage: 'DOT',
  },
  { reply: '550 5.7.1 Blocked - URL in message is on black.uribl.com', is: 'content', stage: 'DOT' },
  { reply: '550 This message contains a blacklisted URL (SURBL)', is: 'content', stage: 'DOT' },
  { reply: '554 Message refused: attachment has a bad reputation', is: 'content', stage: 'DOT' },
  {
    reply:
      '550-5.7.1 [203.0.113.7      12] Our system has detected that this message is likely unsolicited mail.\n550 5.7.1 gsmtp',
    is: 'content',
    stage: 'DOT',
  },
  {
    reply:
      '552-5.7.0 This message was blocked because its content presents a potential security issue.\n552 5.7.0 https://support.google.com/mail/?p=BlockedMessage - gsmtp',
    is: 'content',
    stage: 'DOT',
  },
  {
    reply: '554 5.7.1 The message was rejected because it contains prohibited virus or spam content',
    is: 'content',
    stage: 'DOT',
  },
  { reply: '550 5.7.1 Message contains spam or virus. Proofpoint', is: 'content', stage: 'DOT' },
  { reply: '554 5.6.0 Message contains invalid header', is: 'content', stage: 'DOT' },
  { reply: '550 5.7.512 Access denied, message must be RFC 5322 section 3.6.2 compliant', is: 'content', stage: 'DOT' },
  {
    reply: '550 spam message rejected. Please visit http://help.mail.ru/notspam-support/id?c=abc',
    is: 'content',
    stage: 'DOT',
  },
  { reply: '554 5.7.1 [P4] Message blocked due to spam content in the message.', is: 'content', stage: 'DOT' },
  {
    reply: '550 Rejected: "Is your server on a blocklist?" is not wanted here',
    is: 'unknown',
    stage: 'DOT',
    said: { subject: 'Is your server on a blocklist?' },
  },
  {
    reply: '554 5.7.1 The message "Is 203.0.113.7 on a blocklist?" was blocked',
    is: 'policy',
    stage: 'DOT',
    said: { subject: 'Is 203.0.113.7 on a blocklist?' },
  },
  {
    reply: '554 5.7.1 The message 2001:db8::7 was blocked. See 203.0.113.70',
    is: 'policy',
    stage: 'DOT',
    said: { subject: '2001:db8::7' },
  },
  // The sender, or the recipient's own list.
  { reply: '550 5.7.1 <news@shop.example>: Sender address rejected: on the blocklist of this recipient', is: 'policy' },
  { reply: '550 5.7.1 [203.0.113.7] news@shop.example: the sender is on the blacklist of this user', is: 'policy' },
  { reply: '550 5.7.1 Your message was blocked by the recipient', is: 'policy' },
  {
    reply: '554 5.7.1 Service unavailable; Sender address [news@shop.example] blocked using dbl.spamhaus.org',
    is: 'policy',
  },
  {
    reply: '550-5.7.26 This mail has been blocked because the sender is unauthenticated.\n550 5.7.26 gsmtp',
    is: 'authentication',
    stage: 'DOT',
  },
  {
    reply:
      '550-5.7.25 [203.0.113.7] The IP address sending this message does not have a PTR record setup\n550 5.7.25 gsmtp',
    is: 'authentication',
    stage: 'DOT',
  },
  {
    reply: '550 5.7.515 Access denied, sending domain SHOP.EXAMPLE does not meet the required authentication level.',
    is: 'authentication',
    stage: 'DOT',
  },
  {
    reply:
      '550 5.7.509 Access denied, sending domain shop.example does not pass DMARC verification and has a DMARC policy of reject.',
    is: 'authentication',
    stage: 'DOT',
  },
  { reply: '554 5.7.5 Permanent error evaluating DMARC policy', is: 'authentication', stage: 'DOT' },
  {
    reply: '554 5.7.9 Message not accepted for policy reasons. See https://senders.yahooinc.com/error-codes',
    is: 'policy',
    stage: 'DOT',
  },
  { reply: '550 5.7.1 Client host rejected: cannot find your reverse hostname, [203.0.113.7]', is: 'authentication' },
  {
    reply: '553 5.1.8 <news@shop.example>: Sender address rejected: Domain not found',
    is: 'bad_sender',
    stage: 'MAIL',
  },
  { reply: '550 5.7.27 Sender address has null MX', is: 'bad_sender', stage: 'MAIL' },
  { reply: '554 5.7.1 <ann@rcpt.example>: Relay access denied', is: 'policy' },
  {
    reply: '550 Administrative prohibition - envelope blocked - https://community.mimecast.com/docs/DOC-1369#550',
    is: 'policy',
  },
  { reply: '550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain', is: 'policy' },
  { reply: '550 permanent failure for one or more recipients (ann@rcpt.example:blocked)', is: 'unknown', stage: 'DOT' },
  // Our address or host.
  {
    reply:
      '554 5.7.1 Service unavailable; Client host [203.0.113.7] blocked using zen.spamhaus.org; https://www.spamhaus.org/query/ip/203.0.113.7',
    is: 'blocked',
    suspends: true,
  },
  {
    reply: '554 5.7.1 Service unavailable; Helo command [mta1.platform.example] blocked using dbl.spamhaus.org',
    is: 'blocked',
    suspends: true,
  },
  { reply: '554 5.7.1 Service unavailable; Client host [198.51.100.9] blocked using zen.spamhaus.org', is: 'blocked' },
  {
    reply:
      '550 5.7.606 Access denied, banned sending IP [203.0.113.7]. To request removal visit https://sender.office.com/',
    is: 'blocked',
    suspends: true,
  },
  { reply: '550 5.7.511 Access denied, banned sender[203.0.113.7].', is: 'blocked', suspends: true },
  {
    reply:
      "550 5.7.1 Unfortunately, messages from [203.0.113.7] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3150).",
    is: 'blocked',
    stage: 'MAIL',
    suspends: true,
  },
  {
    reply: "553 5.7.1 [BL21] Connections will not be accepted from 203.0.113.7, because the ip is in Spamhaus's list",
    is: 'blocked',
    stage: 'greeting',
    suspends: true,
  },
  {
    reply:
      '554-mx.gmx.net (mxgmx117) Nemesis ESMTP Service not available\n554-No SMTP service\n554-IP address is block listed.\n554 For explanation visit https://postmaster.gmx.net/en/error-messages?ip=203.0.113.7&c=bl',
    is: 'blocked',
    stage: 'greeting',
    suspends: true,
  },
  {
    reply: "554 Your access to this mail system has been rejected due to the sending MTA's poor reputation.",
    is: 'blocked',
    stage: 'greeting',
  },
  {
    reply:
      '550 5.7.1 Service unavailable, Client host [203.0.113.7] blocked using Barracuda Reputation. http://bbl.barracudacentral.com/q.cgi?ip=203.0.113.7',
    is: 'blocked',
    suspends: true,
  },
  {
    reply: '554 Blocked - see https://ipcheck.proofpoint.com/?ip=203.0.113.7',
    is: 'blocked',
    stage: 'greeting',
    suspends: true,
  },
  { reply: '550 5.7.1 mail from 203.0.113.7 refused, listed in RBL at cbl.abuseat.org', is: 'blocked', suspends: true },
  { reply: '550-203.0.113.7 is blacklisted at bl.spamcop.net\n550 Blocked', is: 'blocked', suspends: true },
  {
    reply: '554 5.7.1 <mta1.platform.example[203.0.113.7]>: Client host rejected: on our blacklist',
    is: 'blocked',
    suspends: true,
  },
  { reply: '550 5.7.708 Service unavailable. Access denied, traffic not accepted from this IP.', is: 'blocked' },
  {
    reply:
      '421 4.7.0 [TSS04] Messages from 203.0.113.7 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1',
    is: 'complained_about',
    stage: 'MAIL',
    suspends: true,
  },
  {
    reply: '451 4.7.1 Service unavailable; Client host [203.0.113.7] blocked using zen.spamhaus.org',
    is: 'blocked',
    suspends: true,
  },
  {
    reply: '450 4.7.1 <ann@rcpt.example>: the sender is on the blocklist of this recipient, try later',
    is: 'temporary',
  },
  // The moment.
  {
    reply:
      '421-4.7.28 Our system has detected an unusual rate of unsolicited mail originating from your IP address.\n421 4.7.28 gsmtp',
    is: 'rate_limited',
    stage: 'DOT',
    suspends: true,
  },
  {
    reply: '450-4.2.1 The user you are trying to contact is receiving mail too quickly.\n450 4.2.1 gsmtp',
    is: 'recipient_busy',
  },
  {
    reply: '421 4.7.0 [TS01] Messages from 203.0.113.7 temporarily deferred due to unexpected volume',
    is: 'rate_limited',
    stage: 'MAIL',
    suspends: true,
  },
  {
    reply: '451 4.7.500 Server busy. Please try again later from [203.0.113.7]. (S77719)',
    is: 'rate_limited',
    suspends: true,
  },
  {
    reply: '450 4.2.0 <ann@rcpt.example>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/',
    is: 'greylisted',
  },
  { reply: '451 4.7.1 Greylisting in action, please come back later', is: 'greylisted' },
  { reply: '450 4.2.0 The recipient has exceeded the quota', is: 'mailbox_full' },
  { reply: '451 Temporary local problem - please try later', is: 'temporary' },
  { reply: '450 4.7.1 <rbl-list@example.net>: Recipient address rejected: try again later', is: 'temporary' },
  { reply: '421 4.3.2 Service shutting down', is: 'closing', suspends: true },
  { reply: '421 too many errors on this connection---closing (#4.3.0)', is: 'rate_limited', suspends: true },
]
