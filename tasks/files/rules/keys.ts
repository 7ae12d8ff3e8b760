import { randomText } from '#lib/tokens.ts'

/** A new key to which a client may PUT; it cannot be guessed, and nothing is ever served from it. */
export const newIncomingKey = (): string => `incoming/${randomText()}`

/** What all keys of an object's accepted bytes start with; none of them is ever presigned for PUT. */
export const heldPrefix = (objectId: string): string => `files/objects/${objectId}/`

/** The key of one copy of an object's bytes, which only the one that made up `copyId` writes. */
export const heldKey = (objectId: string, copyId: string): string => `${heldPrefix(objectId)}${copyId}`

/** What all keys of an object's infected bytes start with; they are never presigned at all. */
export const quarantinePrefix = (objectId: string): string => `files/quarantine/${objectId}/`

/** The key of one copy of an object's infected bytes. */
export const quarantineKey = (objectId: string, copyId: string): string => `${quarantinePrefix(objectId)}${copyId}`

/** Where the previews of an object are kept, those of each hour together, until the next one is over. */
export const previewsPrefix = (objectId: string): string => `files/previews/${objectId}/`

const hourMs = 60 * 60_000

/** Milliseconds for which a preview that is given out is kept at least: twice as long as a link to it works. */
const leastMs = 10 * 60_000

/** The hours whose previews may be given out, the one in which a preview is made now first. */
export function previewHours(now: number): readonly [number, ...number[]] {
  const hour = Math.floor(now / hourMs)
  // Those of the hour before go when this one is over.
  return (hour + 1) * hourMs - now >= leastMs ? [hour, hour - 1] : [hour]
}

/** When the previews of an hour are discarded. */
export const previewsEnd = (hour: number): Date => new Date((hour + 2) * hourMs)
