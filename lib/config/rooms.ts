import { z } from 'zod'
import { days, list, port, portRange, text } from './values.ts'

export const rooms = {
  ROOMS_HOST: text
    .optional()
    .describe('Host name or IP address where a rooms worker serves signalling to clients. Default: HOST.'),
  ROOMS_PORT: port.default(0).describe('Port for ROOMS_HOST. 0 selects a free port.'),
  ROOMS_GATEWAY_URL: z
    .url({ protocol: /^wss?$/, error: 'must be a URL: ws://… or wss://…' })
    .optional()
    .describe(
      'URL at which clients reach this worker’s signalling. Default: ws://, the host of PUBLIC_URL, and the port.',
    ),
  ROOMS_CAPACITY: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(200)
    .describe('Maximum number of participants per worker. Further rooms start on other workers.'),
  ROOMS_JANUS_PATH: text.default('janus').describe('janus executable'),
  ROOMS_JANUS_LIBRARIES: text
    .default(`/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/janus`)
    .describe('Folder of janus’ plugins and transports'),
  ROOMS_ICE_PORTS: portRange
    .default('10000-10999')
    .describe('UDP ports for participants’ media, in the form `first-last`'),
  ROOMS_ICE_INTERFACES: list
    .default([])
    .describe('Network interfaces or IP addresses for media, separated by commas. Default: all except loopback.'),
  ROOMS_PUBLIC_ADDRESS: z
    .union([z.ipv4(), z.ipv6()], { error: 'must be an IP address' })
    .optional()
    .describe('IP address at which clients reach media ports, if it differs from the machine’s address (1:1 NAT)'),
  ROOMS_STUN_URLS: list.default([]).describe('STUN servers for clients, stun:host:port, separated by commas'),
  ROOMS_TURN_URLS: list.default([]).describe('TURN servers for clients, turn:host:port, separated by commas'),
  ROOMS_TURN_SECRET: text
    .optional()
    .describe('Secret for the credentials of the TURN servers (coturn: static-auth-secret)'),
  ROOMS_COTURN_PATH: text
    .default('/usr/bin/turnserver')
    .describe('turnserver executable of coturn. `npm start` runs it when no TURN server is configured.'),
  ROOMS_RTMP_URL: z
    .url({ protocol: /^rtmps?$/, error: 'must be a URL: rtmp://…' })
    .optional()
    .describe('Live ingest for the broadcasts of rooms. Default: LIVE_INGEST_HOST or this host, at LIVE_RTMP_PORT.'),
  ROOMS_PICTURE_HEIGHT: z.coerce
    .number()
    .int()
    .min(180)
    .max(1080)
    .default(720)
    .describe('Height in pixels of the video of a room that is broadcast or recorded. The aspect ratio is 16:9.'),
  ROOMS_PICTURE_RATE: z.coerce
    .number()
    .int()
    .min(5)
    .max(60)
    .default(30)
    .describe('Frames per second of the video of a room that is broadcast or recorded'),
  WHIP_KILOBITS: z.coerce
    .number()
    .int()
    .min(300)
    .max(20_000)
    .default(4000)
    .describe('Maximum video bitrate in kbit/s for WHIP publishers'),
  WHIP_PUBLISHERS: z.coerce
    .number()
    .int()
    .min(0)
    .max(500)
    .default(20)
    .describe(
      'Maximum number of WHIP publishers per rooms worker. Each publisher uses a process with 125 MB of memory and about 6 % of a core.',
    ),
  WHEP_VIEWERS: z.coerce
    .number()
    .int()
    .min(0)
    .max(1000)
    .default(50)
    .describe(
      'Maximum number of WHEP viewers per publisher. All WHEP viewers together can use half of ROOMS_CAPACITY. Further viewers use HLS.',
    ),
  ROOMS_RETENTION_DAYS: days.default(30).describe('Days that an ended room and its participants are kept'),
}
