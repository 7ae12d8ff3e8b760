import { config } from '#lib/config.ts'
import { createSeal } from '#lib/seal.ts'
import { hashSecret, randomText } from '#lib/tokens.ts'
import { sealPurpose } from '#sql/live/channels.ts'
import { getPublicBase } from '#tasks/video/rules/open-url.ts'
import type { Services } from '../http/container.ts'
import { signingSecret } from '../http/services.ts'

export interface Secret {
  text: string
  stored: string
}

/** Creates a stream key. Only its hash is stored. */
export function makeStreamKey(): Secret {
  const text = `live_${randomText()}`
  return { text, stored: hashSecret(text) }
}

/**
 * Creates an SRT passphrase (10 to 79 characters). It is stored encrypted and not as a hash, because the listener needs
 * the passphrase itself.
 */
export function makePassphrase(channelId: string, services: Services): Secret {
  const text = randomText()
  return { text, stored: createSeal(services(signingSecret), sealPurpose).close(text, channelId) }
}

const ingestHost = (origin: string): string => config.LIVE_INGEST_HOST ?? new URL(getPublicBase(origin)).hostname

export const rtmpUrl = (origin: string): string => `rtmp://${ingestHost(origin)}:${config.LIVE_RTMP_PORT}/live`

export const rtmpsUrl = (origin: string): string | null =>
  config.LIVE_RTMPS_PORT === undefined ? null : `rtmps://${ingestHost(origin)}:${config.LIVE_RTMPS_PORT}/live`

export const srtUrl = (origin: string, port: number, passphrase: string): string =>
  `srt://${ingestHost(origin)}:${port}?mode=caller&passphrase=${passphrase}&pbkeylen=16`

export const whipUrl = (origin: string): string => `${getPublicBase(origin)}/v1/stream/live/whip`
