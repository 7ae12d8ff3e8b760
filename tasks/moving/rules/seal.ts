import { requireVariable } from '#lib/config.ts'
import { createSeal, type Seal } from '#lib/seal.ts'
import { sealPurpose } from '#sql/moving/imports.ts'

let seal: Seal | undefined

const getSeal = (): Seal => (seal ??= createSeal(requireVariable('SIGNING_SECRET'), sealPurpose))

/** Returns the customer’s key. Null if it cannot be decrypted. */
export const openCredential = (sealed: string, importId: string): string | null => getSeal().open(sealed, importId)
