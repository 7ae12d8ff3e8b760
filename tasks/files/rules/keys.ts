import { randomText } from '#lib/tokens.ts'

/** A new, unguessable key for a client's `PUT`. No object is ever served from it. */
export const newIncomingKey = (): string => `incoming/${randomText()}`

/** Prefix of an object's accepted bytes. No key with it is ever presigned for `PUT`. */
export const heldPrefix = (objectId: string): string => `files/objects/${objectId}/`

/** Key of one copy of an object's bytes. Only the creator of `copyId` writes it. */
export const heldKey = (objectId: string, copyId: string): string => `${heldPrefix(objectId)}${copyId}`

/** Prefix of an object's infected bytes. No key with it is ever presigned. */
export const quarantinePrefix = (objectId: string): string => `files/quarantine/${objectId}/`

export const quarantineKey = (objectId: string, copyId: string): string => `${quarantinePrefix(objectId)}${copyId}`

/** Prefix of an object's previews. They are grouped by hour and kept until the next hour ends. */
export const previewsPrefix = (objectId: string): string => `files/previews/${objectId}/`

/** Prefix of the variants of an image. */
export const variantsPrefix = (objectId: string): string => `files/variants/${objectId}/`

export const variantKey = (objectId: string, variantId: string): string => `${variantsPrefix(objectId)}${variantId}`

const hourMs = 60 * 60_000

/** Minimum time in milliseconds for which a returned preview is kept: twice the lifetime of its URL. */
const leastMs = 10 * 60_000

/** Returns the hours whose previews can be used. The first hour is the hour for new previews. */
export function previewHours(now: number): readonly [number, ...number[]] {
  const hour = Math.floor(now / hourMs)
  return (hour + 1) * hourMs - now >= leastMs ? [hour, hour - 1] : [hour]
}

export const previewsEnd = (hour: number): Date => new Date((hour + 2) * hourMs)

/** Key of the copy of an object from the bucket of a customer. It exists only while the object is scanned. */
export const bucketCopyKey = (scanId: string): string => `files/buckets/${scanId}`
