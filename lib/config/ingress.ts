import { z } from 'zod'
import { days, flag, http, list, port, text } from './values.ts'

export const ingress = {
  HOST: text.default('127.0.0.1').describe('IP address that the ingress and embedded services listen on'),
  PORT: port.default(8080).describe('Port of the ingress'),
  PUBLIC_URL: http.optional().describe('Base URL for clients. Default: http://127.0.0.1:PORT.'),
  APP_URL: http
    .optional()
    .describe(
      'Base URL of the dashboard. If it has a separate host, `/app` is available only on that host. Default: PUBLIC_URL.',
    ),
  REQUEST_LOG_DAYS: days.max(366).default(7).describe('Days that requests are kept in the organisation’s request log'),
  STATUS_PAGE: flag
    .default(true)
    .describe('Shows `/status` to everyone: the state of each area, its history and incidents'),
  SECURITY_CONTACT: z
    .union([z.url({ protocol: /^https$/ }), z.email().transform((address) => `mailto:${address}`)], {
      error: 'must be an email address or an https:// URL',
    })
    .optional()
    .describe(
      'Email address or https:// URL for reports of vulnerabilities. `/.well-known/security.txt` shows it. Without it, the file does not exist.',
    ),
  SECURITY_POLICY_URL: http.optional().describe('URL of your policy for reports of vulnerabilities, for security.txt'),
  TRUSTED_PROXIES: list
    .default([])
    .describe('IP addresses or CIDR ranges of proxies whose X-Forwarded-* headers are trusted'),
}
