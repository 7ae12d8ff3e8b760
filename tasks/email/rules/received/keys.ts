export const receivedPrefix = (receivedId: string): string => `email/received/${receivedId}/`

/** Returns the key of the raw email. The object is written only once. */
export const rawKey = (receivedId: string): string => `${receivedPrefix(receivedId)}raw.eml`
