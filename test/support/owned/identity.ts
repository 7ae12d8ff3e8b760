import type { Owned } from './owned.ts'

/** What an organisation has in the area `identity`. */
export const identity: Owned = () => ({ made: {}, bodies: {} })
