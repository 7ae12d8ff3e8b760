import * as closures from '#sql/account/closures.ts'
import type { Db } from '#sql/db.ts'
import type * as copies from '#sql/notify/copies.ts'
import * as people from '#sql/notify/people.ts'
import * as preferences from '#sql/notify/preferences.ts'
import { filterEntitled } from '../../account/rules/entitled-keys.ts'
import { chooseChannels } from './choose-channels.ts'
import { findHindrance } from './hindrance.ts'

export interface CheckedCopies {
  sound: copies.WaitingCopy[]
  refused: copies.EndedCopy[]
}

/** Checks the copies of one person’s window with current data. The data may have changed since the events. */
export async function checkDigest(tx: Db, waiting: readonly copies.WaitingCopy[]): Promise<CheckedCopies> {
  const [first] = waiting
  if (!first) return { sound: [], refused: [] }
  const orgIsClosing = await closures.isClosing(tx, first.org_id)
  const live = await filterEntitled(tx, [...new Set(waiting.flatMap(({ key_id }) => key_id ?? []))], 'notify:write')
  const person = (await people.find(tx, first)) ?? undefined
  const held = await preferences.findMany(tx, waiting)

  function check(copy: copies.WaitingCopy): copies.WaitingCopy | copies.EndedCopy {
    const { key_id, person_id, type } = copy
    const over = findHindrance(person_id, { person, orgIsClosing, keyIsLive: key_id === null || live.has(key_id) })
    if (over !== undefined) return refuse(copy, over)
    const own = held.filter((one) => one.type === type || one.type === preferences.anyType)
    const { channels } = chooseChannels({ own: undefined, hasWorkflow: false }, own)
    if (!channels.includes('email')) return refuse(copy, 'preference')
    if (copy.recipient !== '') return copy
    return person?.email ? { ...copy, recipient: person.email } : refuse(copy, 'no_address')
  }

  const checked = waiting.map(check)
  return {
    sound: checked.filter((one): one is copies.WaitingCopy => !('status' in one)),
    refused: checked.filter((one): one is copies.EndedCopy => 'status' in one),
  }
}

const details: Record<string, string> = {
  organisation_closing: 'The organisation is being closed.',
  key_revoked: 'The API key of the event was revoked, has expired or lost the scope `notify:write`.',
  person_removed: 'The person was deleted from the directory after the event.',
  preference: 'The person no longer receives email for this type.',
  no_address: 'The directory no longer has an email address of the person.',
}

const refuse = ({ event_id, channel }: copies.WaitingCopy, reason: string): copies.EndedCopy => ({
  event_id,
  channel,
  status: 'refused',
  reason,
  detail: details[reason] ?? null,
  message_id: null,
})
