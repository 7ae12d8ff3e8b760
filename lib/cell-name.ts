import { z } from 'zod'

/**
 * Schema of a cell name. The name is short because every key contains it. It cannot contain `_`, because `_` is the
 * separator in keys.
 */
export const cellName = z
  .string()
  .regex(/^[a-z][a-z0-9]{0,15}$/, 'must start with a lowercase letter, with up to 15 more lowercase letters or digits')
