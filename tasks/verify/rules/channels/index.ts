import type { Channel } from '#sql/verify/verifications.ts'
import type { CodeChannel } from './channel.ts'
import { email } from './email.ts'
import { sms } from './sms.ts'
import { voice } from './voice.ts'
import { whatsapp } from './whatsapp.ts'

/** How a code is sent and followed on each channel. */
export const channels: Readonly<Record<Channel, CodeChannel>> = { email, sms, voice, whatsapp }
