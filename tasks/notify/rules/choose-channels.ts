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

/** Chooses by the event's own word, else by the preference of its type, else by that of its product. */
export function choose(own: readonly Channel[] | undefined, preferences: readonly Preference[]): Choice {
  if (own) return { by: 'event', channels: own, digest: undefined }
  const exact = preferences.find(({ type }) => type !== anyType)
  const preference = exact ?? preferences[0]
  if (!preference) return { by: 'default', channels: defaultChannels, digest: undefined }
  const digest = preference.digest_minutes === null ? undefined : preference
  return { by: exact ? 'type' : 'product', channels: preference.channels, digest }
}

/** Every channel with whether it is used; `lacks` says why one that is chosen cannot be. */
export function usesOf(
  { channels, digest }: Choice,
  lacks: (channel: Channel) => ChannelUse['reason'],
): readonly ChannelUse[] {
  return Channel.options.map((channel) => {
    const reason = channels.includes(channel) ? lacks(channel) : 'not_chosen'
    const used = reason === null
    return { channel, used, reason, digest: used && channel === 'email' && digest !== undefined }
  })
}
