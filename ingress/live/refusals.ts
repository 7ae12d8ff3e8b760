import { z } from 'zod'
import { Reason, type Refusal, table } from '#sql/live/refusals.ts'
import { Instant } from '../http/instant.ts'

/** The last publisher that was refused, dropped or kept waiting, as the API tells of it. */
export const LastRefusal = z
  .object({
    source: table.Row.shape.source.describe('Which key it came with'),
    reason: Reason,
    message: z.string().describe('For whoever runs the encoder'),
    at: Instant,
  })
  .meta({ id: 'live.Refusal' })

const messages: Record<Reason, string> = {
  key_rotated: 'Its key was rotated: give the encoder the new one.',
  key_in_use: 'Another encoder publishes with the same key: stop that one first, or use the backup key for this one.',
  standby: 'It is connected and waits: another encoder is broadcast, and this one takes over when that one stops.',
  closed: 'The broadcast was ended and the channel is closed for a while: start the encoder again after `closedUntil`.',
  plan_full: 'The plan allows no more channels on air at once: end another broadcast, or change the plan.',
  elsewhere: 'Another worker has the channel, or none could take it in time: start the encoder again in a few seconds.',
  silent: 'It was connected, but sent nothing for some seconds: check the encoder’s sources and its upload.',
  no_key_frame:
    'It sends H.264, but no picture can be shown yet: have the encoder send a key frame every 1 to 4 seconds.',
  unsupported_codecs: 'It sends neither H.264 pictures nor AAC sound: set the encoder to H.264 and AAC.',
  port_taken:
    'Another program has the port on which the channel listened for SRT: it listens on another one now, which `srt.port` names.',
}

/** What a refusal means, in a sentence for whoever runs the encoder. */
export const messageOf = (reason: Reason): string => messages[reason]

/** A refusal as the API tells of it; null when there was none. */
export const refusalOf = (refusal: Refusal | null): z.input<typeof LastRefusal> | null =>
  refusal && {
    source: refusal.source,
    reason: refusal.reason,
    message: messageOf(refusal.reason),
    at: refusal.refused_at,
  }
