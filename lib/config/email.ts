import { isIP } from 'node:net'
import { z } from 'zod'
import { Address } from '../email-address.ts'
import { concurrency, days, flag, list, port, ranges, text } from './values.ts'

const hostname = text
  .max(253)
  .regex(/^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, {
    error: 'must be a lowercase host name',
  })

const addresses = list.refine((all) => all.every((pair) => /^[0-9a-fA-F.:]+=[a-z0-9.-]+$/.test(pair)), {
  error: 'must be address=name pairs, separated by commas: 192.0.2.10=mta1.example.com',
})

const warmUp = list
  .refine((all) => all.every((pair) => /^\d{1,3}:\d{1,9}$/.test(pair)), {
    error: 'must be day:messages pairs, separated by commas: 0:50,3:500,7:5000,30:0 (0: no cap)',
  })
  .transform((all) =>
    all.map((pair) => pair.split(':').map(Number) as [day: number, messages: number]).toSorted(([a], [b]) => a - b),
  )

export const email = {
  MAIL_HOSTNAME: hostname
    .default('localhost')
    .describe('Host name of this installation in email: for the SMTP greeting and the MX of return paths'),
  MAIL_PLATFORM_FROM: z
    .email({ error: 'must be an email address' })
    .optional()
    .describe('Sender of sign-in codes and invitations. Default: `no-reply@` followed by MAIL_HOSTNAME.'),
  MAIL_SPF_INCLUDE: hostname
    .optional()
    .describe('Host that customers include in their SPF records. Default: `spf.` followed by MAIL_HOSTNAME.'),
  MAIL_SMARTHOST: z
    .url({ protocol: /^smtps?$/, error: 'must be a URL: smtp://user:password@host:port or smtps://…' })
    .optional()
    .describe('Server that receives all outgoing email. Default: the MX of each recipient.'),
  MAIL_SMARTHOST_DELIVERS: flag
    .default(false)
    .describe(
      'Email that the smarthost accepts counts as `delivered`, not `sent`. `npm start` sets this while it catches email.',
    ),
  MAIL_TRANSACTIONAL_ADDRESSES: addresses
    .default([])
    .describe(
      'Local IP addresses that send transactional and security email, each with its host name: `192.0.2.10=mta1.example.com,…`',
    ),
  MAIL_CAMPAIGN_ADDRESSES: addresses
    .default([])
    .describe(
      'Local IP addresses that send subscribed and repermission email, in the same form as MAIL_TRANSACTIONAL_ADDRESSES',
    ),
  MAIL_DEDICATED_ADDRESSES: list
    .refine((all) => all.every((address) => isIP(address) > 0), {
      error: 'must be IP addresses, separated by commas: 192.0.2.30,192.0.2.31',
    })
    .default([])
    .describe(
      'IP addresses of this machine that belong to dedicated IP pools. Its workers send the email of these pools.',
    ),
  MAIL_CONCURRENCY: concurrency
    .default(32)
    .describe('Maximum number of concurrent connections per worker in each pool that sends email'),
  MAIL_WARMUP: warmUp
    .default([])
    .describe(
      'Maximum number of messages per day from a new IP address, by days since its first use: `0:50,3:500,7:5000,30:0`. 0 and the default mean no cap.',
    ),
  MAIL_MX_PORT: port.min(1).default(25).describe('Port of the recipients’ MX hosts'),
  MAIL_MX_ALLOWED: ranges.default([]).describe('Non-public IP addresses or CIDR ranges that are allowed for MX hosts'),
  MAIL_INBOUND_PORT: port
    .optional()
    .describe('Port for bounces, complaints, unsubscribe emails and emails for inbound routes. Default: closed.'),
  MAIL_INBOUND_BYTES: z.coerce
    .number()
    .int()
    .min(5 * 1024 ** 2)
    .max(50 * 1024 ** 2)
    .default(25 * 1024 ** 2)
    .describe('Maximum size in bytes of an email for inbound routes'),
  MAIL_SUBMISSION_PORT: port
    .optional()
    .describe('Port where clients with an API key submit email by SMTP with STARTTLS, usually 587. Default: closed.'),
  MAIL_SUBMISSIONS_PORT: port
    .optional()
    .describe('Port where clients with an API key submit email by SMTP over TLS, usually 465. Default: closed.'),
  MAIL_SUBMISSION_HOST: hostname
    .optional()
    .describe(
      'Host name at which clients submit email. If ACME_DIRECTORY_URL is set, Millrace orders and renews its certificate. Default: MAIL_HOSTNAME, without an ordered certificate.',
    ),
  MAIL_SUBMISSION_TLS_CERT: text
    .optional()
    .describe(
      'PEM file of the certificate for email submission. It is read again every minute. Default: MAIL_TLS_CERT.',
    ),
  MAIL_SUBMISSION_TLS_KEY: text
    .optional()
    .describe('PEM file of the private key of the certificate in MAIL_SUBMISSION_TLS_CERT. Default: MAIL_TLS_KEY.'),
  MAIL_POSTMASTER: Address.optional().describe(
    'Address that receives email for `postmaster@` and `abuse@` of MAIL_HOSTNAME and of return paths. Default: such email is stored and shown at `/ops/mail`.',
  ),
  MAIL_TLS_CERT: text
    .optional()
    .describe('PEM file of the certificate for STARTTLS on the inbound port. Default: no STARTTLS.'),
  MAIL_TLS_KEY: text.optional().describe('PEM file of the private key of the certificate in MAIL_TLS_CERT'),
  MAIL_CATCHER: flag
    .default(true)
    .describe('`npm start` shows all email on a web page instead of delivering it, unless MAIL_SMARTHOST is set'),
  MAIL_SHARED_DOMAIN: hostname
    .optional()
    .describe(
      'Verified domain of one organisation that all other organisations can send from. `npm start` sets this while it catches email, so no email leaves the machine.',
    ),
  MAIL_DNSBL: list
    .default(['zen.spamhaus.org', 'b.barracudacentral.org', 'bl.spamcop.net'])
    .describe('DNS blocklists that `millrace doctor` checks for the IP addresses that send email'),
  EMAIL_CONTENT_DAYS: days.default(30).describe('Days that the content of messages is kept'),
  EMAIL_MESSAGE_DAYS: days.default(180).describe('Days that messages and their delivery routes are kept'),
}
