import type { ChannelUse, Event } from '#sql/notify/events.ts'
import { anyType, Channel, type Preference } from '#sql/notify/preferences.ts'

export interface ChannelChoice {
  by: Event['chosen_by']
  channels: readonly Channel[]
  digest: Preference | undefined
}

/** Channels that are used if no channel is selected. */
export const defaultChannels: readonly Channel[] = ['in_app']

interface Choosers {
  own: readonly Channel[] | undefined
  hasWorkflow: boolean
}

/**
 * Selects channels by the event, otherwise by its workflow, otherwise by the preference for its type, otherwise by the
 * preference for its product.
 */
export function chooseChannels({ own, hasWorkflow }: Choosers, preferences: readonly Preference[]): ChannelChoice {
  if (own) return { by: 'event', channels: own, digest: undefined }
  if (hasWorkflow) return { by: 'workflow', channels: [], digest: undefined }
  const exact = preferences.find(({ type }) => type !== anyType)
  const preference = exact ?? preferences[0]
  if (!preference) return { by: 'default', channels: defaultChannels, digest: undefined }
  const digest = preference.digest_minutes === null ? undefined : preference
  return { by: exact ? 'type' : 'product', channels: preference.channels, digest }
}

/**
 * True if the person’s preferences allow a workflow step to use a channel. Without a preference, all channels are
 * allowed.
 */
export function acceptsChannel(channel: Channel, preferences: readonly Preference[]): boolean {
  const preference = preferences.find(({ type }) => type !== anyType) ?? preferences[0]
  return !preference || preference.channels.includes(channel)
}

const alwaysListed = new Set<Channel>(['in_app', 'email', 'push'])

/**
 * Returns every channel and whether it is used. The inbox, email and push are always listed, other channels only if they
 * are selected. `lacks` contains the reasons
 * why a selected channel cannot be used.
 */
export function listChannelUses(
  { by, channels, digest }: ChannelChoice,
  lacks: (channel: Channel) => ChannelUse['reason'],
): readonly ChannelUse[] {
  const told = Channel.options.filter((channel) => alwaysListed.has(channel) || channels.includes(channel))
  return told.map((channel) => {
    const unchosen = by === 'workflow' ? 'workflow' : 'not_chosen'
    const reason = channels.includes(channel) ? lacks(channel) : unchosen
    const used = reason === null
    return { channel, used, reason, digest: used && channel === 'email' && digest !== undefined }
  })
}
