import type { Person } from '#sql/notify/people.ts'

/** Current data that decides whether anything can still be sent. */
export interface CurrentState {
  person: Person | undefined
  keyIsLive: boolean
  orgIsClosing: boolean
}

/**
 * Returns why no more messages of an event can be sent. Undefined if messages can be sent. `personId` is the person in
 * the directory at the time of the event. `null` if the directory had no such person.
 */
export function findHindrance(
  personId: string | null,
  { person, keyIsLive, orgIsClosing }: CurrentState,
): string | undefined {
  if (orgIsClosing) return 'organisation_closing'
  if (!keyIsLive) return 'key_revoked'
  return personId !== null && person?.id !== personId ? 'person_removed' : undefined
}
