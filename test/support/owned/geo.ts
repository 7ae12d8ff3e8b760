import type { Owned } from './owned.ts'

/** What an organisation has in the area `geo`. */
export const geo: Owned = () => ({ made: {}, bodies: {} })
