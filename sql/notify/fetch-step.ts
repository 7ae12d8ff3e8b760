import { z } from 'zod'
import { conditions } from './step-conditions.ts'

/** Calls the customer’s server. Fields of its response can be used by later conditions and texts. */
export const FetchStep = z
  .strictObject({
    type: z.literal('fetch'),
    name: z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,31}$/, 'must start with a letter and contain up to 32 characters of a–z, 0–9 and _')
      .describe('Name of the response: its fields are `fetch.<name>.…`'),
    method: z.enum(['GET', 'POST']).optional().describe('Default: `GET`. `POST` sends the event and the person.'),
    url: z
      .string()
      .min(1)
      .max(2_000)
      .describe('URL that starts with `https://`. Path and query can contain placeholders.'),
    timeout_seconds: z.int().min(1).max(15).optional().describe('Time limit of one attempt in seconds. Default: 5.'),
    on_failure: z
      .enum(['continue', 'stop'])
      .optional()
      .describe(
        'What happens after the last attempt. `continue`: fields of the response are empty. Default: `continue`.',
      ),
    conditions,
  })
  .meta({ id: 'notify.FetchStep' })

/** Time limit of one attempt in seconds, unless the step has its own. */
export const defaultTimeout = 5

export type FetchStep = z.infer<typeof FetchStep>
