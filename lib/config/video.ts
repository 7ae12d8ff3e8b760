import { z } from 'zod'
import { days, flag, port, text } from './values.ts'

/** What the video area reads: playback, customers' own domains and their certificates, uploads. */
export const video = {
  SIGNING_SECRET: z
    .string()
    .min(32)
    .optional()
    .describe('signs playback tokens and seals private keys; the same on every process'),
  TLS_PORT: port
    .optional()
    .describe('port of the ingress for customers’ own video domains, over TLS; unset, it is closed'),
  TLS_PUBLIC_PORT: port.optional().describe('port under which viewers reach it; default TLS_PORT, or else 443'),
  ACME_DIRECTORY_URL: z
    .url({ protocol: /^https$/, error: 'must be a URL: https://…' })
    .optional()
    .describe('certificate authority for video domains (RFC 8555); unset, no certificates are ordered'),
  ACME_EMAIL: z.email().optional().describe('where the authority writes to when something is wrong'),
  ACME_TERMS_AGREED: flag.default(false).describe('you agree to the authority’s terms of service'),
  ACME_CA_FILE: text.optional().describe('PEM file of a root that the authority’s own server is trusted by'),
  ACME_EAB_KEY_ID: text.optional().describe('account that the authority gave you (external account binding)'),
  ACME_EAB_HMAC_KEY: text.optional().describe('key of that account, in base64url'),
  ABORTED_UPLOAD_DAYS: days
    .default(30)
    .describe('days that given-up video uploads and their assets are kept from when they would have expired'),
}
