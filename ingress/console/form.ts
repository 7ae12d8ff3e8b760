import type { Context } from 'koa'
import type { z } from 'zod'
import { parseForm, readGiven } from '../http/html/form.ts'

const limit = 16 * 1024

export async function readForm<S extends z.ZodType>(ctx: Context, schema: S): Promise<z.output<S>> {
  return parseForm(schema, await readGiven(ctx, limit))
}
