import type { DatabasePool } from '#sql/db.ts'
import type * as contacts from '#sql/email/contacts.ts'
import * as notify from '#sql/notify/preferences.ts'
import { setTopics } from '#tasks/email/rules/consent/set-topics.ts'
import { unsubscribe } from '#tasks/email/rules/consent/unsubscribe.ts'
import type { PreferencesOwner, ShownPreferences } from './load.ts'

export interface PreferenceChanges {
  topics: Readonly<Record<string, contacts.TopicState>>
  notifications: readonly Pick<notify.Preference, 'product_key' | 'type' | 'channels'>[]
  unsubscribeAll: boolean
}

/** Stores what differs from the shown preferences. Topics and types that the page does not show are ignored. */
export async function savePreferences(
  db: DatabasePool,
  owner: PreferencesOwner,
  shown: ShownPreferences,
  changes: PreferenceChanges,
): Promise<void> {
  const { orgId, address, messageId, sandbox, person } = owner
  const about = { orgId, address, source: 'page' as const, messageId, sandbox }
  const choices = Object.fromEntries(
    shown.topics.flatMap(({ key, state }) => {
      const wanted = Object.hasOwn(changes.topics, key) ? changes.topics[key] : undefined
      return wanted !== undefined && wanted !== state ? [[key, wanted]] : []
    }),
  )
  const changed = person ? changedTypes(shown, changes.notifications) : []
  await db.transaction(async (tx) => {
    if (Object.keys(choices).length > 0) await setTopics(tx, { ...about, choices })
    if (changes.unsubscribeAll) await unsubscribe(tx, about)
    for (const one of changed) await notify.put(tx, { ...(person as NonNullable<typeof person>), ...one })
  })
}

function changedTypes(shown: ShownPreferences, wanted: PreferenceChanges['notifications']) {
  return shown.notifications.flatMap(({ product_key, type, channels: before, digest_minutes }) => {
    const now = wanted.find((one) => one.product_key === product_key && one.type === type)
    if (!now || isSame(now.channels, before)) return []
    const channels = notify.Channel.options.filter((channel) => now.channels.includes(channel))
    // A digest collects emails, so it ends with them.
    return [{ product_key, type, channels, digest_minutes: channels.includes('email') ? digest_minutes : null }]
  })
}

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((one) => others.includes(one))
