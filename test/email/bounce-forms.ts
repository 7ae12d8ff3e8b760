import { dsn, report } from './inbound-fixture.ts'

/** A bounce as a program writes it, and what its message becomes. */
export interface BounceForm {
  what: string
  text: (to: string) => string
  is: { status: string; reply_class?: string | null; reason?: RegExp | string }
  suppresses?: true
}

const mixed = (header: string, ...parts: [type: string, body: string][]) =>
  `${header}\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="=_m"\n\n${parts
    .map(([type, body]) => `--=_m\nContent-Type: ${type}\n\n${body}\n`)
    .join('')}--=_m--\n`

const gone = { status: 'bounced', reply_class: 'invalid_recipient' }

/** Bounces that are no plain RFC 3464, and mail that is none. */
export const bounceForms: readonly BounceForm[] = [
  {
    what: 'qmail (QSBMF)',
    text: (to) => `From: MAILER-DAEMON@mx.rcpt.example
Subject: failure notice

Hi. This is the qmail-send program at mx.rcpt.example.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<${to}>:
Sorry, no mailbox here by that name. (#5.1.1)

--- Below this line is a copy of the message.

Return-Path: <x@sender.example>
Subject: 552 5.2.2 over quota
`,
    is: { ...gone, reason: /no mailbox here by that name/ },
    suppresses: true,
  },
  {
    what: 'qmail that gave up',
    text: (to) => `From: MAILER-DAEMON@mx.rcpt.example
Subject: failure notice

Hi. This is the qmail-send program at mx.rcpt.example.

<${to}>:
Sorry, I wasn't able to establish an SMTP connection. (#4.4.1)
I'm not going to try again; this message has been in the queue too long.

--- Below this line is a copy of the message.
`,
    is: { status: 'bounced', reply_class: 'expired' },
  },
  {
    what: 'Yahoo',
    text: (to) => `From: MAILER-DAEMON@yahoo.com
To: x@sender.example
Subject: Failure Notice

Sorry, we were unable to deliver your message to the following address.

<${to}>:
Remote host said:
554 delivery error: dd This user doesn't have a yahoo.com account (${to}) [0] - mta1.mail.bf1.yahoo.com [BODY]

--- Below this line is a copy of the message.

Subject: News
`,
    is: { ...gone, reason: /^554 delivery error/ },
    suppresses: true,
  },
  {
    what: 'Exim',
    text: (to) => `From: Mail Delivery System <Mailer-Daemon@mx.rcpt.example>
X-Failed-Recipients: ${to}
Auto-Submitted: auto-replied
Subject: Mail delivery failed: returning message to sender

This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  ${to}
    host mx2.rcpt.example [192.0.2.4]
    SMTP error from remote mail server after RCPT TO:<${to}>:
    550 5.1.1 <${to}>: Recipient address rejected:
    User unknown

------ This is a copy of the message, including all the headers. ------
`,
    is: { ...gone, reason: /550 5\.1\.1/ },
    suppresses: true,
  },
  {
    what: 'Exim, words alone',
    text: (to) => `From: Mail Delivery System <Mailer-Daemon@mx.rcpt.example>
X-Failed-Recipients: ${to}
Subject: Mail delivery failed: returning message to sender

  ${to}
    Unrouteable address
`,
    is: { ...gone, reason: /Unrouteable address/ },
    suppresses: true,
  },
  {
    what: 'Exim, after days',
    text: (to) => `From: Mail Delivery System <Mailer-Daemon@mx.rcpt.example>
X-Failed-Recipients: ${to}
Subject: Mail delivery failed: returning message to sender

  ${to}
    all hosts for 'rcpt.example' have been failing for a long time (and retry time not reached)
`,
    is: { status: 'bounced', reply_class: 'expired' },
  },
  {
    what: 'a status part in multipart/mixed',
    text: () =>
      mixed(
        'From: postmaster@mx.rcpt.example\nSubject: Undeliverable',
        ['text/plain', 'Your message was not delivered.'],
        ['message/delivery-status', 'Reporting-MTA: dns; mx\n\nAction: failed\nStatus: 5.1.1\n'],
      ),
    is: gone,
    suppresses: true,
  },
  {
    what: 'a delayed one in multipart/mixed',
    text: () =>
      mixed('From: postmaster@mx.rcpt.example\nSubject: Delayed', [
        'message/delivery-status',
        'Reporting-MTA: dns; mx\n\nAction: delayed (will retry)\nStatus: 4.4.1\n',
      ]),
    is: { status: 'delivered' },
  },
  {
    what: 'a comment',
    text: () => dsn('Action: failed (permanent failure)\nStatus: 5.1.1'),
    is: gone,
    suppresses: true,
  },
  {
    what: 'a comment first',
    text: () => dsn('Action: (permanent) Failed\nStatus: 5.1.1 (unknown)'),
    is: gone,
    suppresses: true,
  },
  { what: 'no word that is known', text: () => dsn('Action: exploded\nStatus: 5.1.1'), is: gone, suppresses: true },
  {
    what: 'no action',
    text: () => dsn('Final-Recipient: rfc822; a@b.example\nStatus: 5.2.2'),
    is: { status: 'bounced', reply_class: 'mailbox_full' },
  },
  {
    what: 'no block',
    text: () => dsn('\u0000\u00ff'.repeat(2_000)),
    is: { status: 'bounced', reply_class: 'unknown' },
  },
  {
    what: 'a report without its part',
    text: () => report('delivery-status', ['text/plain', '550 5.1.1 No such user here']),
    is: { ...gone, reason: '550 5.1.1 No such user here' },
    suppresses: true,
  },
  {
    what: 'HTML alone',
    text: (to) =>
      `From: postmaster@mx.rcpt.example\nSubject: Undeliverable: News\nContent-Type: text/html\n\n<html><body><p>Delivery has failed to these recipients:</p><p>${to}</p><p>550 5.2.1 Mailbox disabled</p></body></html>`,
    is: { status: 'bounced', reply_class: 'recipient_disabled' },
  },
  {
    what: 'words of a program without a name',
    text: () =>
      'From: mx@rcpt.example\nSubject: Returned mail: see transcript\n\n   ----- Transcript of session follows -----\n... while talking to mx:\n>>> RCPT To:<a@b.example>\n<<< 550 5.7.1 Refused by policy\n',
    is: { status: 'bounced', reply_class: 'policy' },
  },
  {
    what: 'German words',
    text: () =>
      'From: MAILER-DAEMON@mx.rcpt.example\nSubject: Unzustellbar: News\n\nDie Nachricht konnte nicht zugestellt werden.\n',
    is: { status: 'bounced', reply_class: 'unknown' },
  },
  {
    what: 'a delay in words',
    text: (to) => `From: Mail Delivery System <Mailer-Daemon@mx.rcpt.example>
Subject: Warning: message 1abc delayed 24 hours

A message that you sent has not yet been delivered to one or more of its
recipients after more than 24 hours. No action is required on your part.
  ${to}
    Delay reason: 451 4.3.0 try later
`,
    is: { status: 'delivered' },
  },
  {
    what: 'a delivery in words',
    text: () =>
      'From: postmaster@mx.rcpt.example\nSubject: Delivery Status Notification (Success)\n\nYour message was successfully delivered.\n',
    is: { status: 'delivered' },
  },
  {
    what: 'a vacation notice',
    text: () =>
      'From: Ann <ann@rcpt.example>\nAuto-Submitted: auto-replied\nSubject: Out of office\n\nI am away. Your message could not be delivered to me: 550 5.1.1.\n',
    is: { status: 'delivered' },
  },
  {
    what: 'a challenge',
    text: () =>
      'From: Ann <ann@rcpt.example>\nSubject: Please confirm your message\n\nClick here, at 555 Main Street.\n',
    is: { status: 'delivered' },
  },
]
