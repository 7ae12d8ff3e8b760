import { isIPv4 } from 'node:net'
import { z } from 'zod'
import { concurrency, days, flag, list, port, text } from './values.ts'

const trunk =
  /^[\w-]+=sip:(?:[^@\s;,]+@)?[A-Za-z0-9.-]+(?::\d{1,5})?(?:;(?:prefix=\+\d{0,15}|domain=[A-Za-z0-9.-]+|transport=(?:udp|tcp|tls)))*$/
const named = /^[\w-]+=.+$/s
const country = /^[A-Z]{2}$/

export const voice = {
  SIP_TRUNKS: list
    .refine(
      (all) => all.every((one) => trunk.test(one)),
      'must be name=sip:user@host:port;prefix=+372;domain=host;transport=tls,…',
    )
    .default([])
    .describe(
      'SIP trunks, separated by commas: `name=sip:user@host:port;prefix=+372;transport=tls` (`udp`, `tcp` or `tls`). The trunk with the longest matching prefix is used.',
    ),
  SIP_PASSWORDS: list
    .refine((all) => all.every((one) => named.test(one)), 'must be name=password pairs, separated by commas')
    .default([])
    .describe('Passwords of trunks that require one (Digest): `name=password`, separated by commas'),
  SIP_SANDBOX: flag
    .default(true)
    .describe('`npm start` runs test phones that answer every call and play a tone, unless a trunk is configured'),
  SIP_SHARED_NUMBER: text
    .regex(/^\+[1-9]\d{6,14}$/, 'must be E.164: +, country code and number, only digits')
    .optional()
    .describe(
      'Caller number for organisations without a number. `npm start` sets it while its test phones answer, so no call leaves the machine.',
    ),
  SIP_HOST: z
    .string()
    .refine(isIPv4, 'must be an IPv4 address')
    .default('0.0.0.0')
    .describe('IP address that the `voice` pool listens on'),
  SIP_PORT: port
    .default(5060)
    .describe('UDP port of the `voice` pool, and TCP port if a trunk uses TCP. 0 selects a free port.'),
  SIP_TLS_PORT: port.default(5061).describe('TLS port of the `voice` pool. Used if SIP_TLS_CERT is set.'),
  SIP_TLS_CERT: text
    .optional()
    .describe(
      'PEM file of the certificate that the `voice` pool presents to trunks. Without it, trunks can use only the connections that the pool opens.',
    ),
  SIP_TLS_KEY: text.optional().describe('PEM file of the private key of the certificate in SIP_TLS_CERT'),
  SIP_TLS_CA: text
    .optional()
    .describe(
      'PEM file of the certificate authorities for trunks’ certificates. Default: the authorities that Node trusts.',
    ),
  SIP_PUBLIC_ADDRESS: z
    .string()
    .refine(isIPv4, 'must be an IPv4 address')
    .optional()
    .describe('IP address at which trunks reach this worker. Default: the address of the route to the first trunk.'),
  SIP_CONCURRENCY: concurrency
    .default(32)
    .describe(
      'Maximum number of calls that one worker starts at the same time. One organisation can use up to a quarter of them.',
    ),
  SIP_CAPACITY: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(500)
    .describe('Maximum number of concurrent calls per worker'),
  SIP_CALLS_PER_SECOND: z.coerce
    .number()
    .min(0.1)
    .max(1000)
    .default(30)
    .describe('Maximum number of calls that one worker starts per second'),
  VOICE_COUNTRIES: list
    .refine((all) => all.every((one) => country.test(one)), 'must be country codes separated by commas, such as EE,FI')
    .default([])
    .describe(
      'Countries that can be called if no rule sets other countries. Default: the countries of the organisation’s numbers.',
    ),
  VOICE_MAX_CONCURRENT: z.coerce
    .number()
    .int()
    .min(0)
    .default(10)
    .describe('Maximum number of concurrent calls per organisation, if its rule does not set another value'),
  VOICE_MAX_PER_DAY: z.coerce
    .number()
    .int()
    .min(0)
    .default(500)
    .describe('Maximum number of calls per organisation in 24 hours, if its rule does not set another value'),
  VOICE_HISTORY_DAYS: days.default(90).describe('Days that calls are kept'),
}
