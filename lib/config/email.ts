import { z } from 'zod'
import { Address } from '../email-address.ts'
import { concurrency, days, flag, list, port, ranges, text } from './values.ts'

const hostname = text
  .max(253)
  .regex(/^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, {
    error: 'must be a host name in lower case',
  })

/** Addresses that mail leaves from, each with the name it greets with: `address=name,…`. */
const addresses = list.refine((all) => all.every((pair) => /^[0-9a-fA-F.:]+=[a-z0-9.-]+$/.test(pair)), {
  error: 'must be address=name, with commas between: 192.0.2.10=mta1.example.com',
})

/** Days since an address was first used, each with the messages that may leave from it on a day from then on. */
const warmUp = list
  .refine((all) => all.every((pair) => /^\d{1,3}:\d{1,9}$/.test(pair)), {
    error: 'must be day:messages, with commas between: 0:50,3:500,7:5000,30:0 (0: no cap)',
  })
  .transform((all) =>
    all.map((pair) => pair.split(':').map(Number) as [day: number, messages: number]).toSorted(([a], [b]) => a - b),
  )

/** What sends, receives and shows mail reads. */
export const email = {
  MAIL_HOSTNAME: hostname
    .default('localhost')
    .describe('name of this installation in mail: greeting, MX of return paths'),
  MAIL_PLATFORM_FROM: z
    .email({ error: 'must be a mail address' })
    .optional()
    .describe('address that codes to sign in and invitations come from; default `no-reply@` and MAIL_HOSTNAME'),
  MAIL_SPF_INCLUDE: hostname
    .optional()
    .describe('host that customers’ SPF records include; default: `spf.` and MAIL_HOSTNAME'),
  MAIL_SMARTHOST: z
    .url({ protocol: /^smtps?$/, error: 'must be a URL: smtp://user:password@host:port or smtps://…' })
    .optional()
    .describe('server that all mail is handed to; default: each recipient’s own MX'),
  MAIL_SMARTHOST_DELIVERS: flag
    .default(false)
    .describe(
      'what the smarthost takes has come to its recipient: it is `delivered`, not `sent`; `npm start` sets it while mail is caught',
    ),
  MAIL_TRANSACTIONAL_ADDRESSES: addresses
    .default([])
    .describe(
      'local addresses that transactional and security mail leaves from, with the name of each: `192.0.2.10=mta1.example.com,…`',
    ),
  MAIL_CAMPAIGN_ADDRESSES: addresses.default([]).describe('the same for subscribed and repermission mail'),
  MAIL_CONCURRENCY: concurrency.default(32).describe('connections of one worker and mail pool at once'),
  MAIL_WARMUP: warmUp
    .default([])
    .describe(
      'messages a day from an address that is new, by the days since it was first used: `0:50,3:500,7:5000,30:0`; 0 and default: no cap',
    ),
  MAIL_MX_PORT: port.min(1).default(25).describe('port on which other MX hosts are reached'),
  MAIL_MX_ALLOWED: ranges
    .default([])
    .describe('addresses or CIDR ranges beside public ones at which an MX host may be'),
  MAIL_INBOUND_PORT: port
    .optional()
    .describe(
      'port on which bounces, complaints, unsubscribe mail and mail for inbound routes are taken; default: none are',
    ),
  MAIL_INBOUND_BYTES: z.coerce
    .number()
    .int()
    .min(5 * 1024 ** 2)
    .max(50 * 1024 ** 2)
    .default(25 * 1024 ** 2)
    .describe('size of the largest mail that is taken for inbound routes'),
  MAIL_INBOUND_STORAGE_PERCENT: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(25)
    .describe('percentage of an organisation’s storage that received mail may use'),
  MAIL_POSTMASTER: Address.optional().describe(
    'address to which mail to `postmaster@` and `abuse@` of MAIL_HOSTNAME and of return paths is forwarded; default: it is kept and shown at `/ops/mail`',
  ),
  MAIL_TLS_CERT: text
    .optional()
    .describe('PEM file of the certificate with which that port offers STARTTLS; default: it does not'),
  MAIL_TLS_KEY: text.optional().describe('PEM file of its private key'),
  MAIL_CATCHER: flag
    .default(true)
    .describe('`npm start` shows all mail on a page instead of delivering it, unless MAIL_SMARTHOST is set'),
  MAIL_SHARED_DOMAIN: hostname
    .optional()
    .describe(
      'verified domain of one organisation that every other one may send from; `npm start` sets it while mail is caught, so that nothing of it leaves',
    ),
  MAIL_DNSBL: list
    .default(['zen.spamhaus.org', 'b.barracudacentral.org', 'bl.spamcop.net'])
    .describe('DNS block lists in which `millrace doctor` looks for the addresses that mail leaves from'),
  EMAIL_CONTENT_DAYS: days.default(30).describe('days that the content of messages is kept'),
  EMAIL_MESSAGE_DAYS: days.default(180).describe('days that messages and their delivery routes are kept'),
}
