import { http, list, port, text } from './values.ts'

/** What the ingress reads, whatever the area. */
export const ingress = {
  HOST: text.default('127.0.0.1').describe('address the ingress and embedded parts listen on'),
  PORT: port.default(8080).describe('port of the ingress'),
  PUBLIC_URL: http.optional().describe('base URL clients use; default http://127.0.0.1:PORT'),
  APP_URL: http
    .optional()
    .describe('base URL of the dashboard; with a host of its own, `/app` answers there alone; default PUBLIC_URL'),
  TRUSTED_PROXIES: list.default([]).describe('addresses or CIDR ranges whose X-Forwarded-* headers are believed'),
}
