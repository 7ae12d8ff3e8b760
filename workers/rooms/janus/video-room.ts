import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import type { Janus } from './janus.ts'
import { type Handle, type JanusMessage, JanusRefusalError, type JanusSession } from './session.ts'

/** Maximum bit rate of a publisher's video in bits per second. */
const bitRate = 2_500_000

/**
 * Number of packets over which the audio level is averaged, and audio level in -dBov from which a participant counts as
 * speaking.
 */
const [levelPackets, spokenLevel] = [25, 55]

export interface RoomMedia {
  codec: 'vp8' | 'h264'
  bitRate: number
  /** Interval in seconds between key frame requests. 0 disables the requests. */
  keyFrameSeconds: number
}

const ofPeople: RoomMedia = { codec: 'vp8', bitRate, keyFrameSeconds: 0 }

const PublishedStream = z.looseObject({
  type: z.enum(['audio', 'video', 'data']),
  mid: z.string(),
  disabled: z.boolean().optional(),
  simulcast: z.boolean().optional(),
})

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

export interface ForwardTarget {
  audio?: { mid: string; port: number } | undefined
  video?: { mid: string; port: number; rtcpPort?: number | undefined; simulcast: boolean } | undefined
}

export interface PublisherHandle {
  feed: string
  /** Sends the first offer or a later one. Returns the answer and the resulting streams. */
  publish(sdp: string): Promise<{ sdp: string; streams: z.infer<typeof PublishedStream>[] }>
  keyframe(): Promise<void>
  trickle: Handle['trickle']
  detach(): Promise<void>
}

export interface SubscriberHandle {
  /** Changes the received streams. Returns all streams, and an offer if the peer must answer one. */
  update(
    add: readonly { feed: string; mid: string }[],
    remove: readonly string[],
  ): Promise<{ sdp: string | undefined; streams: SubscribedStream[] }>
  answer(sdp: string): Promise<void>
  /** Selects the layers of streams, or stops sending them (`send`). */
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
      // With an empty list of tokens, anyone could join.
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

  /** Returns the feeds in the room, and whether Janus counts each feed as a publisher. */
  async list(): Promise<ReadonlyMap<string, boolean>> {
    const { data } = await this.#control.ask({ request: 'listparticipants', ...this.#at })
    return new Map(ParticipantsReply.parse(data).participants.map(({ id, publisher }) => [id, publisher]))
  }

  /** Lets a participant publish. Only publishers have a token for the room. */
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

  async moderate(feed: string, mid: string, mute: boolean): Promise<void> {
    await this.#control.ask({ request: 'moderate', ...this.#at, id: feed, mid, mute })
  }

  async kick(feed: string): Promise<void> {
    await this.#control.ask({ request: 'kick', ...this.#at, id: feed })
  }

  /**
   * Forwards the media of a feed to ports of this host as RTP (Opus as 111, video as 96). Returns a function that stops
   * forwarding.
   */
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
          if (!(error instanceof JanusRefusalError)) throw error
        })
      }
    }
  }

  async destroy(): Promise<void> {
    await this.#control.ask({ request: 'destroy', ...this.#at }).catch(() => {})
    await this.#control.detach()
  }
}
