import type { z } from 'zod'
import { checkSource, checkToken } from '../html/csrf.ts'
import { parseForm, readGiven } from '../html/form.ts'
import type { Html } from '../html/html.ts'
import { type Route, route } from '../route.ts'
import { type Gate, requireMember } from './admit.ts'
import { type MailView, sendMailFrame } from './mail-frame.ts'
import { type PageCall, shared } from './page.ts'

type Answer = Html | { html: string | null; text: string | null; view: MailView }

/**
 * Declares a form that answers with a part of its page, or with an email for a frame of its page. Nothing is stored.
 */
export function fragment<Fields extends z.ZodObject>({
  path,
  summary,
  fields,
  formBytes,
  answer,
  ...gate
}: Gate & {
  path: string
  summary: string
  fields: Fields
  formBytes?: number
  answer(call: PageCall<never, never> & { given: z.output<Fields> }): Promise<Answer>
}): Route {
  return route({
    ...shared,
    method: 'POST',
    path,
    summary,
    async handle(call) {
      checkSource(call.ctx, call.origin)
      const allowed = await requireMember(call, gate)
      if (!allowed) return
      const { token = '', ...given } = await readGiven(call.ctx, formBytes)
      checkToken(allowed.member, String(token))
      const answered = await answer({ ...allowed, given: parseForm(fields, given) } as never)
      if ('view' in answered) return sendMailFrame(call.ctx, answered, answered.view)
      call.ctx.set('cache-control', 'no-store')
      call.ctx.type = 'text/html; charset=utf-8'
      call.ctx.body = answered.text
    },
  })
}
