import type { Owned } from './owned.ts'

/** What an organisation has in the area `voice`. */
export const voice: Owned = () => ({ made: {}, bodies: {} })
