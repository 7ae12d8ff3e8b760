import type { Owned } from './owned.ts'

/** What an organisation has in the area `wiki`. */
export const wiki: Owned = () => ({ made: {}, bodies: {} })
