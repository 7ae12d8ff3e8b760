import type { Context } from 'koa'
import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import * as sessions from '#sql/account/people/sessions.ts'
import { UnknownNameError } from '#tasks/jobs/rules/names.ts'
import { page, shared } from '../http/console/page.ts'
import { findOperator } from '../http/console/session.ts'
import { checkSource, checkToken } from '../http/html/csrf.ts'
import { html } from '../http/html/html.ts'
import { route } from '../http/route.ts'
import { stopping } from '../http/services.ts'
import type { Action } from './action.ts'
import { actions } from './actions/all.ts'
import { readForm } from './form.ts'
import { redirectTo } from './sign-in.ts'

function backFrom(ctx: Context): string {
  const from = ctx.get('referer')
  if (!URL.canParse(from)) return '/ops'
  const { host, pathname, search } = new URL(from)
  return host === ctx.host && isOurs(pathname) ? pathname + search : '/ops'
}

const isOurs = (path: string) => /^\/ops($|[/?])/.test(path) && !path.startsWith('/ops/confirm/')

function actionOf(name: string): Action {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) throw notFound('action')
  return action
}

async function orNotFound<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof UnknownNameError) throw notFound('job, pool or task')
    throw error
  }
}

/** Asks for confirmation. With JavaScript, the question is shown in a dialog. */
export const question = page({
  path: '/confirm/{action}',
  summary: 'Confirm an action',
  params: z.object({ action: z.string() }),
  query: z.object({}).catchall(z.string()),
  async view({ ctx, db, operator, params, query }) {
    const action = actionOf(params.action)
    const given: Record<string, string> = query
    const { title, text, button, grave, fields } = await orNotFound(action.question(db, given))
    const back = backFrom(ctx)
    const kept = Object.entries({ ...given, back, token: operator.csrf })
    const main = html`<section class="question" id="question">
<h1 id="confirm-title">${title}</h1>
<p>${text}</p>
<form method="post" action="/ops/confirm/${params.action}">
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${fields}
<p class="actions"><button${grave && html` class="grave"`}>${button}</button> <a class="button plain" data-back href="${back}">Cancel</a></p>
</form>
</section>`
    return { title, main }
  },
})

const ConfirmationForm = z
  .object({ token: z.string(), back: z.string().max(4000).default('/ops') })
  .catchall(z.string())

export const perform = route({
  ...shared,
  method: 'POST',
  path: '/confirm/{action}',
  summary: 'Perform an action',
  params: z.object({ action: z.string() }),
  async handle({ ctx, db, origin, params, services }) {
    checkSource(ctx, origin)
    const action = actionOf(params.action)
    const { token, back, ...fields } = await readForm(ctx, ConfirmationForm)
    const operator = await findOperator(ctx, db)
    if (!operator) return redirectTo(ctx, '/ops/sign-in')
    checkToken(operator, token)
    const given: Record<string, string> = fields
    const { actor, key_id: id, key_name: name } = operator
    const by = { actor, operator: { id, name }, stopping: services(stopping) }
    const message = await orNotFound(action.perform(db, given, by))
    await sessions.tell(db, operator.id, message)
    redirectTo(ctx, isOurs(back) ? back : '/ops')
  },
})
