import type { Owned } from './owned.ts'

/** What an organisation has in the area `guard`. */
export const guard: Owned = () => ({ made: {}, bodies: {} })
