import type { Owned } from './owned.ts'

/** What an organisation has in the area `bots`. */
export const bots: Owned = () => ({ made: {}, bodies: {} })
