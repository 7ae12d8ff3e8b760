import type { Owned } from './owned.ts'

export const identity: Owned = () => ({ made: {}, bodies: {} })
