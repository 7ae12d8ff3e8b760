import { isIPv4 } from 'node:net'
import { z } from 'zod'
import { concurrency, days, flag, list, port, text } from './values.ts'

const trunk =
  /^[\w-]+=sip:(?:[^@\s;,]+@)?[A-Za-z0-9.-]+(?::\d{1,5})?(?:;(?:prefix=\+\d{0,15}|domain=[A-Za-z0-9.-]+|transport=(?:udp|tcp|tls)))*$/
const named = /^[\w-]+=.+$/s
const country = /^[A-Z]{2}$/

/** What the voice area and the pool `voice` read. */
export const voice = {
  SIP_TRUNKS: list
    .refine(
      (all) => all.every((one) => trunk.test(one)),
      'must be name=sip:user@host:port;prefix=+372;domain=host;transport=tls,…',
    )
    .default([])
    .describe(
      'SIP trunks with commas between: `name=sip:user@host:port;prefix=+372;transport=tls` (`udp`, `tcp` or `tls`); the longest prefix is taken',
    ),
  SIP_PASSWORDS: list
    .refine((all) => all.every((one) => named.test(one)), 'must be name=password,…')
    .default([])
    .describe('passwords of trunks that ask for one (Digest): `name=password` with commas between'),
  SIP_SANDBOX: flag
    .default(true)
    .describe('`npm start` runs telephones that answer whatever is called and play a tone, unless a trunk is set'),
  SIP_SHARED_NUMBER: text
    .regex(/^\+[1-9]\d{6,14}$/, 'must be E.164: +, country code and number, digits alone')
    .optional()
    .describe(
      'number that an organisation without one calls from; `npm start` sets it while its own telephones answer, so that no call leaves',
    ),
  SIP_HOST: z
    .string()
    .refine(isIPv4, 'must be an IPv4 address')
    .default('0.0.0.0')
    .describe('address that the pool voice listens on'),
  SIP_PORT: port
    .default(5060)
    .describe('UDP port of the pool voice, and TCP port where a trunk speaks that; 0 has the system choose one'),
  SIP_TLS_PORT: port.default(5061).describe('TLS port of the pool voice, where SIP_TLS_CERT is set'),
  SIP_TLS_CERT: text
    .optional()
    .describe(
      'file (PEM) of the certificate that the pool voice shows trunks; without, they reach it by its own connections alone',
    ),
  SIP_TLS_KEY: text.optional().describe('file (PEM) of the certificate’s key'),
  SIP_TLS_CA: text
    .optional()
    .describe('file (PEM) of the authorities of trunks’ certificates; default: those that Node trusts'),
  SIP_SESSION_SECONDS: z.coerce
    .number()
    .int()
    .min(90)
    .max(86_400)
    .default(1_800)
    .describe('seconds after which a call ends whose telephone does not answer a refresh (RFC 4028)'),
  SIP_PUBLIC_ADDRESS: z
    .string()
    .refine(isIPv4, 'must be an IPv4 address')
    .optional()
    .describe('address at which trunks reach this worker; default: that of its route to the first trunk'),
  SIP_CONCURRENCY: concurrency
    .default(32)
    .describe('calls begun at once in one worker; one organisation begins a quarter of them at most'),
  SIP_CAPACITY: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(500)
    .describe('calls that one worker holds at once'),
  SIP_CALLS_PER_SECOND: z.coerce
    .number()
    .min(0.1)
    .max(1000)
    .default(30)
    .describe('calls that one worker begins a second'),
  VOICE_COUNTRIES: list
    .refine((all) => all.every((one) => country.test(one)), 'must be country codes: EE,FI')
    .default([])
    .describe(
      'countries that may be called where no rule says others; default: those of the organisation’s own numbers',
    ),
  VOICE_MAX_CONCURRENT: z.coerce
    .number()
    .int()
    .min(0)
    .default(10)
    .describe('calls of an organisation at once, unless its rule says otherwise'),
  VOICE_MAX_PER_DAY: z.coerce
    .number()
    .int()
    .min(0)
    .default(500)
    .describe('calls of an organisation in 24 hours, unless its rule says otherwise'),
  VOICE_HISTORY_DAYS: days.default(90).describe('days that calls are kept'),
}
