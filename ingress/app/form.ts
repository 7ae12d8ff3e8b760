import type { Context } from 'koa'
import { z } from 'zod'
import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import { checkSource, checkToken } from '../http/console/session.ts'
import { formFields } from '../http/pages/form-fields.ts'
import { readBody } from '../http/request/body.ts'
import { check } from '../http/request/issues.ts'
import { findMember, type Member } from './session.ts'

const limit = 16 * 1024

/** The fields of a form that a page of ours has sent; throws 400 that names every bad one, 403, 413 and 415. */
export async function readForm<S extends z.ZodType>(ctx: Context, origin: string, schema: S): Promise<z.output<S>> {
  checkSource(ctx, origin)
  if (!ctx.is('application/x-www-form-urlencoded')) {
    throw new Problem(415, 'unsupported_media_type', 'A form is sent as application/x-www-form-urlencoded.')
  }
  const text = (await readBody(ctx.req, ctx.res, limit)).toString()
  const faults: Fault[] = []
  const given = check(schema, formFields(text), 'form', faults)
  if (faults.length > 0) throw badRequest(faults)
  return given as z.output<S>
}

/** The same of a form that a member sends: throws 401 when nobody is signed in, and 403 when it was made for another session. */
export async function readMemberForm<S extends z.ZodRawShape>(
  { ctx, db, origin }: { ctx: Context; db: Db; origin: string },
  fields: S,
): Promise<{ member: Member; form: z.output<z.ZodObject<S>> }> {
  const { token, ...form } = (await readForm(ctx, origin, z.object({ token: z.string().max(200), ...fields }))) as {
    token: string
  } & z.output<z.ZodObject<S>>
  const member = await findMember(ctx, db)
  if (!member) throw new Problem(401, 'unauthorized', 'You are signed in no more: sign in and repeat.')
  checkToken(member, token)
  return { member, form: form as unknown as z.output<z.ZodObject<S>> }
}
