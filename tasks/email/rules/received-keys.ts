/** What the keys of all that is stored of a mail that came in begin with. */
export const receivedPrefix = (receivedId: string): string => `email/received/${receivedId}/`

/** The key of a mail as it came; nothing is ever written to it twice. */
export const rawKey = (receivedId: string): string => `${receivedPrefix(receivedId)}raw.eml`
