import { z } from 'zod'
import { secret } from '#lib/secret-fields.ts'

/** Headers of a connection (RFC 9110 §7.6.1), and headers that Millrace sets. */
const reserved =
  /^(host|content-length|transfer-encoding|connection|keep-alive|proxy-.*|te|trailer|upgrade|expect|accept-encoding|webhook-.*|millrace-.*)$/

const [maxCount, maxBytes] = [40, 8_192]

const Name = z
  .string()
  .max(100)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header')
  .transform((name) => name.toLowerCase())
  .refine((name) => !reserved.test(name), 'is a header of the connection, or set by Millrace')

const Value = z
  .string()
  .max(4_096)
  .regex(/^[\t\x20-\x7e]*$/, 'must have only printable ASCII characters')

/** Schema of the headers of a request. Names are stored in small letters. */
export const Headers = z
  .record(Name, secret(Value))
  .refine((headers) => Object.keys(headers).length <= maxCount, `must have at most ${maxCount} headers`)
  .refine((headers) => JSON.stringify(headers).length <= maxBytes, `must have at most ${maxBytes} bytes`)
  .describe('Headers of the request. Responses show their names, with masked values.')
