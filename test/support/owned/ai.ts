import type { Owned } from './owned.ts'

/** What an organisation has in the area `ai`. */
export const ai: Owned = () => ({ made: {}, bodies: {} })
