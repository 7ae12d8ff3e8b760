import { config } from '#lib/config.ts'
import { createSeal } from '#lib/seal.ts'
import { hashSecret, randomText } from '#lib/tokens.ts'
import { sealPurpose } from '#sql/live/channels.ts'
import { baseFor } from '#tasks/video/rules/open-url.ts'
import type { Services } from '../http/container.ts'
import { signingSecret } from '../http/services.ts'

/** A secret of a channel, and what is stored of it. */
export interface Secret {
  text: string
  stored: string
}

/** A new stream key; its hash is stored. */
export function makeStreamKey(): Secret {
  const text = `live_${randomText()}`
  return { text, stored: hashSecret(text) }
}

/** A new SRT passphrase (10 to 79 characters); it is stored sealed, as the listener needs its text. */
export function makePassphrase(channelId: string, services: Services): Secret {
  const text = randomText()
  return { text, stored: createSeal(services(signingSecret), sealPurpose).close(text, channelId) }
}

const ingestHost = (origin: string): string => config.LIVE_INGEST_HOST ?? new URL(baseFor(origin)).hostname

/** Where encoders publish over RTMP; the stream key follows. */
export const rtmpUrl = (origin: string): string => `rtmp://${ingestHost(origin)}:${config.LIVE_RTMP_PORT}/live`

/** The same in TLS; null when no port is open for it. */
export const rtmpsUrl = (origin: string): string | null =>
  config.LIVE_RTMPS_PORT === undefined ? null : `rtmps://${ingestHost(origin)}:${config.LIVE_RTMPS_PORT}/live`

/** Where an encoder publishes over SRT, with the channel's passphrase. */
export const srtUrl = (origin: string, port: number, passphrase: string): string =>
  `srt://${ingestHost(origin)}:${port}?mode=caller&passphrase=${passphrase}&pbkeylen=16`

/** Where pages publish to by WHIP (RFC 9725), with a stream key as the Bearer token. */
export const whipUrl = (origin: string): string => `${baseFor(origin)}/v1/stream/live/whip`
