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

/** Where the previews of an object are kept that were asked for within the last two hours. */
export const previewsPrefix = (objectId: string): string => `files/previews/${objectId}/`
