import type { ChannelUse, Event } from '#sql/notify/events.ts'
import { anyType, Channel, type Preference } from '#sql/notify/preferences.ts'

/** The channels that an event is for, and what chose them. */
export interface Choice {
  by: Event['chosen_by']
  channels: readonly Channel[]
  /** The preference that asks for mail to be collected. */
  digest: Preference | undefined
}

/** The channels when nobody has chosen any. */
export const defaultChannels: readonly Channel[] = ['in_app']

/** What chooses beside preferences. */
interface Choosers {
  own: readonly Channel[] | undefined
  hasWorkflow: boolean
}

/** Chooses by the event's own word, else by its workflow, else by the preference of its type, else by that of its product. */
export function choose({ own, hasWorkflow }: Choosers, preferences: readonly Preference[]): Choice {
  if (own) return { by: 'event', channels: own, digest: undefined }
  if (hasWorkflow) return { by: 'workflow', channels: [], digest: undefined }
  const exact = preferences.find(({ type }) => type !== anyType)
  const preference = exact ?? preferences[0]
  if (!preference) return { by: 'default', channels: defaultChannels, digest: undefined }
  const digest = preference.digest_minutes === null ? undefined : preference
  return { by: exact ? 'type' : 'product', channels: preference.channels, digest }
}

/** Whether a person who prefers so takes a workflow's step on a channel: without a preference, all of them. */
export function takes(channel: Channel, preferences: readonly Preference[]): boolean {
  const preference = preferences.find(({ type }) => type !== anyType) ?? preferences[0]
  return !preference || preference.channels.includes(channel)
}

/** Every channel with whether it is used, WhatsApp only where it is chosen; `lacks` says why one that is chosen cannot be. */
export function usesOf(
  { by, channels, digest }: Choice,
  lacks: (channel: Channel) => ChannelUse['reason'],
): readonly ChannelUse[] {
  const told = Channel.options.filter((channel) => channel !== 'whatsapp' || channels.includes(channel))
  return told.map((channel) => {
    const unchosen = by === 'workflow' ? 'workflow' : 'not_chosen'
    const reason = channels.includes(channel) ? lacks(channel) : unchosen
    const used = reason === null
    return { channel, used, reason, digest: used && channel === 'email' && digest !== undefined }
  })
}
