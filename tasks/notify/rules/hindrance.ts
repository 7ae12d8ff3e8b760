import type { Person } from '#sql/notify/people.ts'

/** What decides whether anything may go out later than its event, as it is now. */
export interface Standing {
  person: Person | undefined
  keyIsLive: boolean
  orgIsClosing: boolean
}

/**
 * Why nothing more of an event may go out; undefined if it may. `personId` is the person whom the directory had when the event came;
 * `null` if it had none.
 */
export function hindrance(personId: string | null, { person, keyIsLive, orgIsClosing }: Standing): string | undefined {
  if (orgIsClosing) return 'organisation_closing'
  if (!keyIsLive) return 'key_revoked'
  return personId !== null && person?.id !== personId ? 'person_removed' : undefined
}
