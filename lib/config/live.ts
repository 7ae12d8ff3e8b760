import { port, portRange, text } from './values.ts'

/** What live broadcasting reads, in ingress and in pool live. */
export const live = {
  LIVE_INGEST_HOST: text
    .optional()
    .describe('host name that encoders publish to; default the host of PUBLIC_URL, or of the request'),
  LIVE_RTMP_PORT: port.default(1936).describe('port of live ingest over RTMP'),
  LIVE_SRT_PORTS: portRange
    .default('9710-9909')
    .describe('UDP ports of live ingest over SRT, one for each channel: first-last'),
}
