import type { Context } from 'koa'
import { z } from 'zod'
import { unauthorized } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import { findMember, type Member } from '../http/dashboard/session.ts'
import { checkSource, checkToken } from '../http/html/csrf.ts'
import { parseForm, readGiven } from '../http/html/form.ts'

/** Parses a form of our pages. Throws 403, 413, 415, and 400 with every invalid field. */
export async function readForm<S extends z.ZodType>(ctx: Context, origin: string, schema: S): Promise<z.output<S>> {
  checkSource(ctx, origin)
  return parseForm(schema, await readGiven(ctx))
}

/** Parses a form from a member. Throws 401 if there is no session, and 403 if the form belongs to another session. */
export async function readMemberForm<S extends z.ZodRawShape>(
  { ctx, db, origin }: { ctx: Context; db: Db; origin: string },
  fields: S,
): Promise<{ member: Member; form: z.output<z.ZodObject<S>> }> {
  checkSource(ctx, origin)
  const member = await findMember(ctx, db)
  if (!member) throw unauthorized('Your session has ended. Sign in and try again.')
  const { token = '', ...given } = await readGiven(ctx)
  checkToken(member, String(token))
  return { member, form: parseForm(z.object(fields), given) }
}
