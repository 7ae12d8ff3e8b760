export const receivedPrefix = (receivedId: string): string => `email/received/${receivedId}/`

/** Written only once. */
export const rawKey = (receivedId: string): string => `${receivedPrefix(receivedId)}raw.eml`
