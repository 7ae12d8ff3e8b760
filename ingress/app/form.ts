import type { Context } from 'koa'
import { z } from 'zod'
import { unauthorized } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import { checkSource, checkToken } from '../http/console/session.ts'
import { parseGiven, readGiven } from '../http/dashboard/form.ts'
import { findMember, type Member } from '../http/dashboard/session.ts'

/** The fields of a form that a page of ours has sent; throws 400 that names every bad one, 403, 413 and 415. */
export async function readForm<S extends z.ZodType>(ctx: Context, origin: string, schema: S): Promise<z.output<S>> {
  checkSource(ctx, origin)
  return parseGiven(schema, await readGiven(ctx))
}

/** The same of a form that a member sends: throws 401 when nobody is signed in, and 403 when it was made for another session. */
export async function readMemberForm<S extends z.ZodRawShape>(
  { ctx, db, origin }: { ctx: Context; db: Db; origin: string },
  fields: S,
): Promise<{ member: Member; form: z.output<z.ZodObject<S>> }> {
  checkSource(ctx, origin)
  const member = await findMember(ctx, db)
  if (!member) throw unauthorized('Your session has ended. Sign in and try again.')
  const { token = '', ...given } = await readGiven(ctx)
  checkToken(member, String(token))
  return { member, form: parseGiven(z.object(fields), given) }
}
