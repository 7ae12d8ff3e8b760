import type { Owned } from './owned.ts'

/** What an organisation has in the area `erp`. */
export const erp: Owned = () => ({ made: {}, bodies: {} })
