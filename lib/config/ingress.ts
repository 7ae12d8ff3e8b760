import { days, http, list, ms, port, text } from './values.ts'

/** What the ingress reads, whatever the area. */
export const ingress = {
  HOST: text.default('127.0.0.1').describe('address the ingress and embedded parts listen on'),
  PORT: port.default(8080).describe('port of the ingress'),
  PUBLIC_URL: http.optional().describe('base URL clients use; default http://127.0.0.1:PORT'),
  APP_URL: http
    .optional()
    .describe('base URL of the dashboard; with a host of its own, `/app` answers there alone; default PUBLIC_URL'),
  REQUEST_LOG_DAYS: days.max(366).default(7).describe('days that requests are in the log of their organisation'),
  REQUEST_LOG_PER_SECOND: ms
    .max(10_000)
    .default(5)
    .describe('answered requests of an organisation that each process logs in a second, beside its errors'),
  REQUEST_LOG_ERRORS_PER_SECOND: ms
    .max(10_000)
    .default(20)
    .describe(
      'errors of an organisation that each process logs in a second, half of them of one operation and code; no 429',
    ),
  TRUSTED_PROXIES: list.default([]).describe('addresses or CIDR ranges whose X-Forwarded-* headers are believed'),
}
