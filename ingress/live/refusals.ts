import { z } from 'zod'
import { Reason, type Refusal, table } from '#sql/live/refusals.ts'
import { Instant } from '../http/instant.ts'

export const LastRefusal = z
  .object({
    source: table.Row.shape.source.describe('Key of the publisher'),
    reason: Reason,
    message: z.string().describe('Explanation for the person who operates the encoder'),
    at: Instant,
  })
  .meta({ id: 'live.Refusal' })

const messages: Record<Reason, string> = {
  key_rotated: 'The key was rotated. Enter the new key in the encoder.',
  key_in_use: 'Another encoder is publishing with the same key. Stop that encoder, or use the backup key for this one.',
  standby: 'The encoder is connected as a backup. It is broadcast when the other encoder stops.',
  closed: 'The broadcast was ended and the channel is temporarily closed. Start the encoder again after `closedUntil`.',
  plan_full:
    'The plan does not allow another live channel at the same time. End another broadcast, or change the plan.',
  elsewhere:
    'Another worker has the channel, or no worker could accept it in time. Start the encoder again in a few seconds.',
  silent: 'The encoder was connected but sent nothing for several seconds. Check its sources and its upload speed.',
  no_key_frame: 'The encoder sends H.264, but no frame can be shown yet. Set a key frame interval of 1 to 4 seconds.',
  unsupported_codecs: 'The encoder sends neither H.264 video nor AAC audio. Set it to H.264 and AAC.',
  port_taken:
    'Another program is using the SRT port of this channel. The channel now listens on the port in `srt.port`.',
}

export const refusalMessage = (reason: Reason): string => messages[reason]

export const presentRefusal = (refusal: Refusal | null): z.input<typeof LastRefusal> | null =>
  refusal && {
    source: refusal.source,
    reason: refusal.reason,
    message: refusalMessage(refusal.reason),
    at: refusal.refused_at,
  }
