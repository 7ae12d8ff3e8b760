import type { Owned } from './owned.ts'

/** What an organisation has in the area `whatsapp`. */
export const whatsapp: Owned = () => ({ made: {}, bodies: {} })
