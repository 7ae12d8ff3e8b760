import type { Owned } from './owned.ts'

/** What an organisation has in the area `directory`. */
export const directory: Owned = () => ({ made: {}, bodies: {} })
