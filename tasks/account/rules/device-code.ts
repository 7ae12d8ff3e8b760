import { createHmac, randomInt } from 'node:crypto'
import { z } from 'zod'
import { Mode } from '#sql/account/keys.ts'
import { grantable } from './key-input.ts'

/** Letters of user codes: no vowels, so that codes are not words (RFC 8628 §6.1), and no letters that look like digits. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'

/** Creates a code of eight letters, such as `BCDF-GHJK`. */
export function createUserCode(): string {
  const code = Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('')
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

/** Returns the HMAC under which a user code is stored. Case, spaces and hyphens make no difference. */
export const hashUserCode = (code: string, signing: string): string =>
  createHmac('sha256', signing)
    .update(`device code\0${code.toUpperCase().replace(/[\s-]/g, '')}`)
    .digest('hex')

export const DeviceInput = z.strictObject({
  client_name: z
    .string()
    .trim()
    .min(1)
    .max(60)
    .refine((name) => !/\p{C}/u.test(name), 'must not contain control or hidden characters')
    .describe('Name of the program and its computer. The member sees it. For example, `Millrace CLI on laptop`.'),
  scopes: z
    .array(z.enum(grantable))
    .max(grantable.length)
    .overwrite((values) => [...new Set(values)])
    .default([])
    .describe('Requested scopes. The member can remove some. Default: the member selects the scopes.'),
  mode: Mode.default('test').describe('Default: `test`. Test keys record messages and do not deliver them.'),
})
