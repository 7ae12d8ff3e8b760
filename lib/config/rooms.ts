import { z } from 'zod'
import { days, list, port, portRange, text } from './values.ts'

/** What rooms read, in ingress and in pool rooms. */
export const rooms = {
  ROOMS_HOST: text.optional().describe('address on which a rooms worker serves clients’ signalling; default HOST'),
  ROOMS_PORT: port.default(0).describe('its port; 0 takes a free one'),
  ROOMS_GATEWAY_URL: z
    .url({ protocol: /^wss?$/, error: 'must be a URL: ws://… or wss://…' })
    .optional()
    .describe(
      'URL under which clients reach this worker’s signalling; default ws://, the host of PUBLIC_URL, the port',
    ),
  ROOMS_CAPACITY: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(200)
    .describe('participants that one worker takes; further rooms go to others'),
  ROOMS_JANUS_PATH: text.default('janus').describe('janus program'),
  ROOMS_JANUS_LIBRARIES: text
    .default(`/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/janus`)
    .describe('folder of janus’ plugins and transports'),
  ROOMS_ICE_PORTS: portRange.default('10000-10999').describe('UDP ports of participants’ media: first-last'),
  ROOMS_ICE_INTERFACES: list
    .default([])
    .describe('interfaces or addresses that media use, with commas between; default all but loopback'),
  ROOMS_PUBLIC_ADDRESS: z
    .union([z.ipv4(), z.ipv6()], { error: 'must be an IP address' })
    .optional()
    .describe('address under which clients reach media ports, when that is not the machine’s own (1:1 NAT)'),
  ROOMS_STUN_URLS: list.default([]).describe('STUN servers for clients, stun:host:port, with commas between'),
  ROOMS_TURN_URLS: list.default([]).describe('TURN servers for clients, turn:host:port, with commas between'),
  ROOMS_TURN_SECRET: text
    .optional()
    .describe('secret that their TURN credentials are made with (coturn: static-auth-secret)'),
  ROOMS_COTURN_PATH: text
    .default('/usr/bin/turnserver')
    .describe('turnserver program of coturn, which npm start runs when no TURN server is named'),
  ROOMS_RTMP_URL: z
    .url({ protocol: /^rtmps?$/, error: 'must be a URL: rtmp://…' })
    .optional()
    .describe('live ingest that rooms are broadcast to; default LIVE_INGEST_HOST or this host, at LIVE_RTMP_PORT'),
  ROOMS_PICTURE_HEIGHT: z.coerce
    .number()
    .int()
    .min(180)
    .max(1080)
    .default(720)
    .describe('lines of the picture of a room that is broadcast or recorded; it is 16:9'),
  ROOMS_PICTURE_RATE: z.coerce.number().int().min(5).max(60).default(30).describe('pictures a second of it'),
  WHIP_KILOBITS: z.coerce
    .number()
    .int()
    .min(300)
    .max(20_000)
    .default(4000)
    .describe('kilobits a second of video that a publisher by WHIP is asked to send at most'),
  WHIP_PUBLISHERS: z.coerce
    .number()
    .int()
    .min(0)
    .max(500)
    .default(20)
    .describe('publishers by WHIP that one rooms worker takes; each costs a process of 125 MB and some 6 % of a core'),
  WHEP_VIEWERS: z.coerce
    .number()
    .int()
    .min(0)
    .max(1000)
    .default(50)
    .describe('viewers by WHEP of one publisher, of all half of ROOMS_CAPACITY; HLS has room for the others'),
  ROOMS_RETENTION_DAYS: days.default(30).describe('days after which an ended room and its participants are forgotten'),
}
