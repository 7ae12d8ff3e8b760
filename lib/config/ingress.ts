import { days, http, list, port, text } from './values.ts'

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
  TRUSTED_PROXIES: list
    .default([])
    .describe('IP addresses or CIDR ranges of proxies whose X-Forwarded-* headers are trusted'),
}
