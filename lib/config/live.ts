import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { concurrency, http, port, portRange, text } from './values.ts'

/** What live broadcasting reads, in ingress and in pool live. */
export const live = {
  LIVE_INGEST_HOST: text
    .optional()
    .describe('host name that encoders publish to; default the host of PUBLIC_URL, or of the request'),
  LIVE_RTMP_PORT: port.default(1936).describe('port of live ingest over RTMP'),
  LIVE_RTMPS_PORT: port
    .optional()
    .describe('port of live ingest over RTMPS, which is RTMP in TLS; unset, it is closed'),
  LIVE_TLS_CERT: text.optional().describe('PEM file of its certificate, with the chain; read again when it changes'),
  LIVE_TLS_KEY: text.optional().describe('PEM file of its private key'),
  LIVE_SRT_PORTS: portRange
    .default('9710-9909')
    .describe('UDP ports of live ingest over SRT, one for each channel: first-last'),
  SRT_HANDSHAKES: z.coerce
    .number()
    .int()
    .min(1)
    .max(1024)
    .default(64)
    .describe(
      'SRT callers that a worker listens to at once before they publish, 8 of one address; each costs a process',
    ),
  LIVE_RECONNECT_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(1800)
    .default(20)
    .describe('seconds for which a broadcast waits for its publisher to come back'),
  LIVE_CONCURRENCY: concurrency.default(2).describe('recordings that one worker makes assets of at once'),
  LIVE_NGINX_PATH: text.default('nginx').describe('nginx program'),
  LIVE_RTMP_MODULE: text.default('/usr/lib/nginx/modules/ngx_rtmp_module.so').describe('nginx’s RTMP module, a file'),
  LIVE_STREAM_MODULE: text
    .default('/usr/lib/nginx/modules/ngx_stream_module.so')
    .describe('nginx’s stream module, a file; for RTMPS alone'),
  LIVE_ORIGIN_HOST: text.default('127.0.0.1').describe('address on which a live worker serves its channels to ingress'),
  LIVE_ORIGIN_PORT: z.coerce.number().int().min(0).max(65535).default(0).describe('its port; 0 takes a free one'),
  LIVE_ORIGIN_URL: http.optional().describe('URL under which ingress reaches it; default http://LIVE_ORIGIN_HOST:port'),
  LIVE_TRANSCODE_CORES: z.coerce
    .number()
    .min(0)
    .max(256)
    .default(0.75 * availableParallelism())
    .describe(
      'cores of a live worker that renditions may take (720p: 0.8, 480p: 0.4, 360p: 0.25); what does not fit is refused; default three quarters of the host’s',
    ),
  LIVE_PART_MS: z.coerce
    .number()
    .int()
    .min(100)
    .max(1000)
    .default(200)
    .describe('length of a part of low-latency HLS; viewers are at least three behind'),
}
