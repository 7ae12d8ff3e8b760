import type { Context } from 'koa'
import { Problem } from '#lib/errors.ts'
import { readBody } from './body.ts'

/**
 * Reads the exact bytes of a body. Throws 408 if the client needs more than `withinMs` milliseconds, and 413 if the
 * body is larger than `limit` bytes.
 */
export async function readWithin({ req, res }: Context, withinMs: number, limit: number): Promise<Buffer> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    res.setHeader('connection', 'close')
    reject(new Problem(408, 'request_timeout', `Send the complete body within ${withinMs / 1000} seconds.`))
  }, withinMs)
  try {
    return await Promise.race([readBody(req, res, limit), late])
  } finally {
    clearTimeout(timer)
  }
}
