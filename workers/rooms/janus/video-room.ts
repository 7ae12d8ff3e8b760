import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import type { Janus } from './janus.ts'
import { type Handle, type JanusMessage, JanusRefusal, type JanusSession } from './session.ts'

/** Bits a second that Janus lets a publisher send of video. */
const bitRate = 2_500_000

/** Packets over which the level of a voice is averaged, and the level, in -dBov, from which one speaks. */
const [levelPackets, spokenLevel] = [25, 55]

/** What a room takes: by default what rooms of people do. */
export interface RoomMedia {
  codec: 'vp8' | 'h264'
  /** Bits a second that a publisher may send of video. */
  bitRate: number
  /** Seconds after which a publisher is asked for a key frame anew; 0 for never. */
  keyFrameSeconds: number
}

const ofPeople: RoomMedia = { codec: 'vp8', bitRate, keyFrameSeconds: 0 }

/** A stream of a publisher, as Janus has it. */
const PublishedStream = z.looseObject({
  type: z.enum(['audio', 'video', 'data']),
  mid: z.string(),
  disabled: z.boolean().optional(),
  simulcast: z.boolean().optional(),
})

/** A stream that a subscriber gets. */
const SubscribedStream = z.looseObject({
  mid: z.string(),
  active: z.boolean().default(false),
  feed_id: z.string().optional(),
  feed_mid: z.string().optional(),
})

export type SubscribedStream = z.infer<typeof SubscribedStream>

const SubscribeReply = z.looseObject({ streams: z.array(SubscribedStream).default([]) })

const ParticipantsReply = z.looseObject({
  participants: z.array(z.looseObject({ id: z.string(), publisher: z.boolean().default(false) })),
})

const ForwardersReply = z.looseObject({ forwarders: z.array(z.looseObject({ stream_id: z.number() })).default([]) })

/** Where the media of a publisher are forwarded to, on this host. */
export interface ForwardTarget {
  audio?: { mid: string; port: number } | undefined
  video?: { mid: string; port: number; rtcpPort?: number | undefined; simulcast: boolean } | undefined
}

/** Somebody's own connection, on which they publish. */
export interface PublisherHandle {
  feed: string
  /** Takes an offer, the first or a later one; gives the answer and the streams that Janus knows then. */
  publish(sdp: string): Promise<{ sdp: string; streams: z.infer<typeof PublishedStream>[] }>
  keyframe(): Promise<void>
  trickle: Handle['trickle']
  detach(): Promise<void>
}

/** Somebody's other connection, on which they get what others publish. */
export interface SubscriberHandle {
  /** Changes what is got; gives the offer when the peer has to be asked anew, and all streams. */
  update(
    add: readonly { feed: string; mid: string }[],
    remove: readonly string[],
  ): Promise<{ sdp: string | undefined; streams: SubscribedStream[] }>
  answer(sdp: string): Promise<void>
  /** Chooses the layer of streams, or has nothing of them sent (`send`). */
  choose(choices: readonly { mid: string; send: boolean; substream?: number | undefined }[]): Promise<void>
  trickle: Handle['trickle']
  detach(): Promise<void>
}

export class VideoRoom {
  readonly #session: JanusSession
  readonly #control: Handle
  readonly #at: { room: string; secret: string }
  readonly #adminKey: string

  private constructor(session: JanusSession, control: Handle, at: { room: string; secret: string }, adminKey: string) {
    this.#session = session
    this.#control = control
    this.#at = at
    this.#adminKey = adminKey
  }

  /** Makes a room. */
  static async open(janus: Janus, room: string, publishers: number, media = ofPeople): Promise<VideoRoom> {
    const session = await janus.session()
    const control = await session.attach(() => {})
    const at = { room, secret: randomBytes(18).toString('hex') }
    const create = {
      request: 'create',
      ...at,
      admin_key: janus.adminKey,
      publishers,
      is_private: true,
      // A list that has no token would let everybody in.
      allowed: [newId()],
      audiocodec: 'opus',
      videocodec: media.codec,
      bitrate: media.bitRate,
      fir_freq: media.keyFrameSeconds,
      audiolevel_event: true,
      audio_active_packets: levelPackets,
      audio_level_average: spokenLevel,
    }
    await control.ask(create)
    return new VideoRoom(session, control, at, janus.adminKey)
  }

  /** Feeds in the room, and whether Janus takes each for a publisher. */
  async list(): Promise<ReadonlyMap<string, boolean>> {
    const { data } = await this.#control.ask({ request: 'listparticipants', ...this.#at })
    return new Map(ParticipantsReply.parse(data).participants.map(({ id, publisher }) => [id, publisher]))
  }

  /** Lets somebody publish: of all in the room, only these have a token for it. */
  async admit(display: string, hear: (message: JanusMessage) => void): Promise<PublisherHandle> {
    const [feed, token] = [newId(), newId()]
    await this.#control.ask({ request: 'allowed', ...this.#at, action: 'add', allowed: [token] })
    const handle = await this.#session.attach(hear)
    const { room } = this.#at
    await handle.ask({ request: 'join', ptype: 'publisher', room, id: feed, display, token })
    let isFirst = true
    return {
      feed,
      async publish(sdp) {
        const { data, jsep } = await handle.ask({ request: isFirst ? 'publish' : 'configure' }, { type: 'offer', sdp })
        isFirst = false
        const { streams } = z.looseObject({ streams: z.array(PublishedStream).default([]) }).parse(data)
        return { sdp: jsep?.sdp ?? '', streams }
      },
      async keyframe() {
        await handle.ask({ request: 'configure', keyframe: true })
      },
      trickle: handle.trickle,
      detach: async () => {
        await handle.detach()
        await this.#control.ask({ request: 'allowed', ...this.#at, action: 'remove', allowed: [token] }).catch(() => {})
      },
    }
  }

  /** Opens the connection on which somebody gets streams of others, of which there must be one. */
  async subscribe(
    streams: readonly { feed: string; mid: string }[],
    hear: (message: JanusMessage) => void,
  ): Promise<{ subscribing: SubscriberHandle; sdp: string; streams: SubscribedStream[] }> {
    const handle = await this.#session.attach(hear)
    const { room } = this.#at
    const join = { request: 'join', ptype: 'subscriber', room, streams, autoupdate: false }
    const joined = await handle.ask(join).catch(async (error) => {
      await handle.detach()
      throw error
    })
    const subscribing: SubscriberHandle = {
      async update(add, remove) {
        const { data, jsep } = await handle.ask({
          request: 'update',
          ...(add.length > 0 && { subscribe: add }),
          ...(remove.length > 0 && { unsubscribe: remove.map((sub_mid) => ({ sub_mid })) }),
        })
        return { sdp: jsep?.sdp, streams: SubscribeReply.parse(data).streams }
      },
      async answer(sdp) {
        await handle.ask({ request: 'start' }, { type: 'answer', sdp })
      },
      async choose(choices) {
        await handle.ask({ request: 'configure', streams: choices })
      },
      trickle: handle.trickle,
      detach: () => handle.detach(),
    }
    return { subscribing, sdp: joined.jsep?.sdp ?? '', streams: SubscribeReply.parse(joined.data).streams }
  }

  /** Silences a stream of a feed for everybody, or lets it through again. */
  async moderate(feed: string, mid: string, mute: boolean): Promise<void> {
    await this.#control.ask({ request: 'moderate', ...this.#at, id: feed, mid, mute })
  }

  /** Puts a feed out that nobody here knows. */
  async kick(feed: string): Promise<void> {
    await this.#control.ask({ request: 'kick', ...this.#at, id: feed })
  }

  /** Has a feed's media sent to ports of this host, as RTP (Opus as 111, pictures as 96); returns how to stop it. */
  async forward(feed: string, { audio, video }: ForwardTarget): Promise<() => Promise<void>> {
    const streams = [
      ...(audio ? [{ mid: audio.mid, port: audio.port, pt: 111 }] : []),
      ...(video
        ? [{ mid: video.mid, port: video.port, pt: 96, rtcp_port: video.rtcpPort, simulcast: video.simulcast }]
        : []),
    ]
    const publisher = { ...this.#at, admin_key: this.#adminKey, publisher_id: feed }
    const host = { host: '127.0.0.1', host_family: 'ipv4' }
    const { data } = await this.#control.ask({ request: 'rtp_forward', ...publisher, ...host, streams })
    const { forwarders } = ForwardersReply.parse(data)
    return async () => {
      for (const { stream_id } of forwarders) {
        await this.#control.ask({ request: 'stop_rtp_forward', ...publisher, stream_id }).catch((error) => {
          // Its publisher has left, and the forwarder with it.
          if (!(error instanceof JanusRefusal)) throw error
        })
      }
    }
  }

  /** Ends the room: everybody's media stop at once. */
  async destroy(): Promise<void> {
    await this.#control.ask({ request: 'destroy', ...this.#at }).catch(() => {})
    await this.#control.detach()
  }
}
