import type { Owned } from './owned.ts'

/** What an organisation has in the area `trust`. */
export const trust: Owned = () => ({ made: {}, bodies: {} })
