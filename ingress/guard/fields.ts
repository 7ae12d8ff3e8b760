import { z } from 'zod'

export const Action = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-z0-9_.:-]*$/, 'must contain only lower-case letters, digits and _ . : -')
  .describe('Action of the visitor. The token is valid only for this action.')
