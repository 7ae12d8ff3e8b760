import type { Context } from 'koa'
import type { z } from 'zod'
import { badRequest, Problem } from '#lib/errors.ts'
import { readBody } from '../http/body.ts'

const limit = 64 * 1024

/** The fields of a submitted form; throws 400 that names every bad one, 413 and 415. */
export async function readForm<S extends z.ZodType>(ctx: Context, schema: S): Promise<z.output<S>> {
  if (!ctx.is('application/x-www-form-urlencoded')) {
    throw new Problem(415, 'unsupported_media_type', 'A form is sent as application/x-www-form-urlencoded.')
  }
  const text = (await readBody(ctx.req, ctx.res, limit)).toString()
  const parsed = schema.safeParse(Object.fromEntries(new URLSearchParams(text)))
  if (parsed.success) return parsed.data
  throw badRequest(
    parsed.error.issues.map(({ path, message }) => ({ field: ['form', ...path].join('.'), issue: message })),
  )
}
