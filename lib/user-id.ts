import { z } from 'zod'
import { Id } from './ids.ts'

/** The customer’s own ID of a person. Any string is allowed. A UUID is converted to lower case, as in Postgres. */
export const UserId = z
  .string()
  .min(1, { abort: true })
  .max(255)
  .refine((id) => id.trim() === id && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(id), {
    error: 'must be one line without leading or trailing spaces',
  })
  .overwrite((id) => (Id.safeParse(id).success ? id.toLowerCase() : id))
  .describe('Your own ID for the person, such as a UUID')
