import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { concurrency, http, port, portRange, text } from './values.ts'

export const live = {
  LIVE_INGEST_HOST: text
    .optional()
    .describe('Host name that encoders publish to. Default: the host of PUBLIC_URL, or of the request.'),
  LIVE_RTMP_PORT: port.default(1936).describe('Port for live ingest over RTMP'),
  LIVE_RTMPS_PORT: port.optional().describe('Port for live ingest over RTMPS (RTMP in TLS). Default: closed.'),
  LIVE_TLS_CERT: text
    .optional()
    .describe('PEM file of the certificate with its chain. The file is read again when it changes.'),
  LIVE_TLS_KEY: text.optional().describe('PEM file of the private key'),
  LIVE_SRT_PORTS: portRange
    .default('9710-9909')
    .describe('UDP ports for live ingest over SRT, one for each channel, in the form `first-last`'),
  LIVE_RECONNECT_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(1800)
    .default(20)
    .describe('Time in seconds that a broadcast waits for its publisher to reconnect'),
  LIVE_CONCURRENCY: concurrency
    .default(2)
    .describe('Maximum number of recordings that one worker converts to assets at the same time'),
  LIVE_NGINX_PATH: text.default('nginx').describe('nginx executable'),
  LIVE_RTMP_MODULE: text.default('/usr/lib/nginx/modules/ngx_rtmp_module.so').describe('File of nginx’s RTMP module'),
  LIVE_STREAM_MODULE: text
    .default('/usr/lib/nginx/modules/ngx_stream_module.so')
    .describe('File of nginx’s stream module. Used only for RTMPS.'),
  LIVE_ORIGIN_HOST: text
    .default('127.0.0.1')
    .describe('IP address where a live worker serves its channels to the ingress'),
  LIVE_ORIGIN_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .default(0)
    .describe('Port for LIVE_ORIGIN_HOST. 0 selects a free port'),
  LIVE_ORIGIN_URL: http
    .optional()
    .describe('URL at which the ingress reaches the live worker. Default: http://LIVE_ORIGIN_HOST:port.'),
  LIVE_TRANSCODE_CORES: z.coerce
    .number()
    .min(0)
    .max(256)
    .default(0.75 * availableParallelism())
    .describe(
      'CPU cores of a live worker that renditions can use (720p: 0.8, 480p: 0.4, 360p: 0.25). Further renditions are rejected. Default: three quarters of the host’s cores.',
    ),
  LIVE_PART_MS: z.coerce
    .number()
    .int()
    .min(100)
    .max(1000)
    .default(200)
    .describe('Length in milliseconds of a part in low-latency HLS. The delay for viewers is at least three parts.'),
}
