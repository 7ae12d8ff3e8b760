import { z } from 'zod'
import { Problem } from '#lib/errors.ts'
import { getIdTime } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import * as quality from '#sql/video/quality.ts'
import * as views from '#sql/video/views.ts'
import { groupedRoute } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { tokenInvalid } from '../playback/admission.ts'
import { readPlaybackToken, readViewToken } from '../playback/urls.ts'
import { countViewers } from '../playback/viewers.ts'
import { aggregate, newestOf } from './playback/aggregate.ts'
import { countAudience } from './playback/audience.ts'
import { humanOf, Page, viewingOf } from './playback/viewing.ts'

/** Error codes that players can report. Other codes are rejected, so that the statistics contain no arbitrary text. */
const codes = [
  ...['network', 'timeout', 'server', 'rate_limited', 'not_found', 'expired', 'revoked', 'forbidden', 'country'],
  ...['manifest', 'segment', 'decode', 'unsupported', 'other'],
] as const

const count = z.int().min(0).max(100_000_000)
const seconds = z.number().min(0).max(604_800)

const Body = z.strictObject({
  token: secret(z.string().min(1).max(1000)).describe('Playback token'),
  viewId: z
    .string()
    .regex(/^[A-Za-z0-9_-]{8,64}$/)
    .describe('Random ID that the player chooses when it loads a video'),
  sequence: z
    .int()
    .min(0)
    .max(1_000_000)
    .describe('Increases with each beacon of the view. Late and repeated beacons have no effect.'),
  startupSeconds: z
    .number()
    .min(0)
    .max(3600)
    .optional()
    .describe('Seconds from the start of playback by the viewer to the first video frame. Omit it until then.'),
  playSeconds: seconds.describe('Playing time in seconds, in real time'),
  rebufferSeconds: seconds
    .default(0)
    .describe('Seconds that the player waited for media after the first frame, without seeking'),
  rebuffers: count.default(0),
  meanBitrate: z
    .number()
    .min(0)
    .max(1_000_000_000)
    .default(0)
    .describe('Mean bitrate in bits per second over the playing time'),
  decodedFrames: count.default(0),
  droppedFrames: count.default(0).describe('Number of decoded frames that were not shown'),
  switches: count.default(0).describe('Number of rendition changes'),
  errors: z
    .array(
      z.strictObject({
        code: z.enum(codes),
        fatal: z.boolean().default(false),
        count: z.int().min(1).max(10_000).default(1),
      }),
    )
    .max(2 * codes.length)
    .default([])
    .describe('Errors of the view. A fatal error ended it.'),
  tenths: z
    .array(z.int().min(0).max(9))
    .max(10)
    .default([])
    .describe('Tenths of the video that the viewer has played. 0 is the first tenth.'),
  page: Page.optional().describe('URL of the web page with the player. Only its origin and path are stored.'),
})

type BeaconBody = z.output<typeof Body>

export const collect = groupedRoute({
  method: 'POST',
  path: '/collect',
  summary: 'Report playback quality',
  description:
    'The player calls this operation from web pages of any origin, including as `text/plain` with `navigator.sendBeacon`. All numbers are totals since the start of the view, so a lost beacon loses no data. Beacons are counted if their token is valid or expired up to ten minutes ago. Later beacons return `204` and are not counted. The first beacon with a video frame counts a view of a listed video: once per viewer and day, without bots.',
  public: true,
  cors: true,
  beacon: true,
  viewers: true,
  bodyLimit: 8192,
  limit: { perMinute: 600, by: 'ip' },
  body: Body,
  status: 204,
  problems: [tokenInvalid],
  example: {
    body: {
      token: 'eyJzaWQ…',
      viewId: '9f2c61d07ab34e58',
      sequence: 3,
      startupSeconds: 0.42,
      playSeconds: 61.2,
      rebufferSeconds: 0.8,
      rebuffers: 1,
      meanBitrate: 2_750_000,
      decodedFrames: 1836,
      droppedFrames: 2,
      switches: 1,
      errors: [{ code: 'timeout', count: 1 }],
      tenths: [0, 1],
      page: 'https://www.example.com/courses/steam',
    },
  },
  prepare: viewingOf,
  async commit(tx, calls) {
    const read = calls.map(({ body, services, prepared }) => beaconOf(body, prepared, services(signingSecret)))
    const beacons = newestOf(read.flatMap((one) => (one && !(one instanceof Problem) ? one : [])))
    const taken = beacons.length > 0 ? await views.storeBeacons(tx, beacons) : []
    if (taken.length > 0) await quality.add(tx, aggregate(taken))
    const senders = new Map(
      read.flatMap((one, i) => (one && !(one instanceof Problem) ? [[nameOf(one), calls[i]]] : [])),
    )
    await countViewers(tx, taken.filter(hasBegun), (view) => senders.get(nameOf(view)))
    await countAudience(tx, taken, (view) => humanOf(senders.get(nameOf(view))))
    return read.map((one) => (one instanceof Problem ? one : undefined))
  },
})

const hasBegun = ({ counted, before }: views.ViewUpdate): boolean =>
  counted.startup_ms !== null && (before?.startup_ms ?? null) === null

const nameOf = ({ session_id, view_id }: Pick<views.Beacon, 'session_id' | 'view_id'>) => `${session_id}/${view_id}`

/** Returns the beacon in a request body, or `undefined` if its token expired too long ago. */
function beaconOf(body: BeaconBody, viewing: views.Viewing, secret: string): views.Beacon | Problem | undefined {
  const session = readPlaybackToken(body.token, secret)
  const claims = session ?? readViewToken(body.token, secret)
  if (!claims) return tokenInvalid('The playback token is not valid.')
  if (claims.exp * 1000 < Date.now() - views.graceMinutes * 60_000) return
  return {
    session_id: claims.sid,
    view_id: body.viewId,
    asset_id: claims.aid,
    open: session === null,
    sequence: body.sequence,
    counted: countedOf(body, getIdTime(claims.sid)),
    ...viewing,
  }
}

/** No view can have played for longer than its session exists. `since` is the start of the session in milliseconds. */
function countedOf(body: BeaconBody, since: number): views.ViewCounters {
  const playSeconds = Math.min(body.playSeconds, (Date.now() - since) / 1000 + views.graceMinutes * 60)
  return {
    startup_ms: body.startupSeconds === undefined ? null : Math.round(body.startupSeconds * 1000),
    play_ms: Math.round(playSeconds * 1000),
    rebuffer_ms: Math.round(body.rebufferSeconds * 1000),
    rebuffers: body.rebuffers,
    bits: Math.round(body.meanBitrate * playSeconds),
    decoded: body.decodedFrames,
    dropped: body.droppedFrames,
    switches: body.switches,
    errors: body.errors,
    reached: body.tenths.reduce((bits, tenth) => bits | (1 << tenth), 0),
  }
}
