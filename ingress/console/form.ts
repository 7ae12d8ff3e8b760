import type { Context } from 'koa'
import type { z } from 'zod'
import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import { formFields } from '../http/pages/form-fields.ts'
import { readBody } from '../http/request/body.ts'
import { check } from '../http/request/issues.ts'

const limit = 16 * 1024

/** The fields of a submitted form; throws 400 that names every bad one, 413 and 415. */
export async function readForm<S extends z.ZodType>(ctx: Context, schema: S): Promise<z.output<S>> {
  if (!ctx.is('application/x-www-form-urlencoded')) {
    throw new Problem(415, 'unsupported_media_type', 'A form is sent as application/x-www-form-urlencoded.')
  }
  const text = (await readBody(ctx.req, ctx.res, limit)).toString()
  const faults: Fault[] = []
  const given = check(schema, formFields(text), 'form', faults)
  if (faults.length > 0) throw badRequest(faults)
  return given as z.output<S>
}
