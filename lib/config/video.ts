import { z } from 'zod'
import { days, flag, port, text } from './values.ts'

export const video = {
  SIGNING_SECRET: z
    .string()
    .min(32)
    .optional()
    .describe('Secret that signs playback tokens and encrypts private keys. Use the same value for every process.'),
  TLS_PORT: port.optional().describe('TLS port of the ingress for customers’ video domains. Default: closed.'),
  TLS_PUBLIC_PORT: port
    .optional()
    .describe('Public TLS port for viewers. Default: TLS_PORT, or 443 if that is not set.'),
  ACME_DIRECTORY_URL: z
    .url({ protocol: /^https$/, error: 'must be a URL: https://…' })
    .optional()
    .describe(
      'ACME server of the certificate authority for video domains (RFC 8555). Default: no certificates are ordered.',
    ),
  ACME_EMAIL: z.email().optional().describe('Contact email address for the certificate authority'),
  ACME_TERMS_AGREED: flag
    .default(false)
    .describe('Confirms that you agree to the certificate authority’s terms of service'),
  ACME_CA_FILE: text.optional().describe('PEM file of a root certificate for connections to the certificate authority'),
  ACME_EAB_KEY_ID: text.optional().describe('Account ID from the certificate authority (external account binding)'),
  ACME_EAB_HMAC_KEY: text.optional().describe('Key of the account in ACME_EAB_KEY_ID, in base64url'),
  ABORTED_UPLOAD_DAYS: days
    .default(30)
    .describe('Days that aborted video uploads and their assets are kept after their expiry'),
}
