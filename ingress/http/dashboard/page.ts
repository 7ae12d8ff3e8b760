import type { Context } from 'koa'
import { z } from 'zod'
import { Problem } from '#lib/errors.ts'
import * as sessions from '#sql/account/people/browser-sessions.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Doer } from '#tasks/account/rules/doer.ts'
import type { Permission } from '#tasks/account/rules/roles.ts'
import { supportBanner } from '#tasks/account/rules/support.ts'
import type { Services } from '../container.ts'
import { checkSource } from '../html/csrf.ts'
import { type FormState, getFieldFaults, parseForm } from '../html/form.ts'
import type { Section } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { document, sendPage, type View } from '../html/layout.ts'
import { htmlReply, pageProblems, problemPage } from '../html/problem-page.ts'
import { organisationClosed } from '../problem-kinds.ts'
import type { AskedInput } from '../request/validate.ts'
import { type Route, route } from '../route.ts'
import { type Allowed, type Gate, redirectTo, requireMember } from './admit.ts'
import { closingBanner } from './closing-banner.ts'
import { readConfirmableForm, showConfirmation } from './confirmable-form.ts'
import { dashboardContents, dashboardFrame, getNavigationGroups } from './contents.ts'
import { recordPage } from './gates.ts'
import { renderOrganisation } from './organisations.ts'
import { ConfirmationRequired, type Member, requireStepUp } from './session.ts'

export const shared = {
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  limit: { perMinute: 600, by: 'ip' },
  ...htmlReply,
  renderProblem: problemPage(dashboardFrame),
  problems: [...pageProblems, organisationClosed],
} as const

const formLimit = { perMinute: 120, by: 'ip' } as const

const NoFields = z.object({})

export interface PageCall<Params, Query> {
  db: DatabasePool
  params: Params
  query: Query
  member: Member
  may(permission: Permission): boolean
  doer: Doer
  host: string
  /**
   * Calls an operation as an API client would, with the scopes of the member’s role. Throws the `Problem` that the API
   * would return.
   */
  ask<Reply extends z.ZodType>(route: Route, given: AskedInput, reply: Reply): Promise<z.output<Reply>>
  region(name: string): Promise<Html>
  services: Services
  ctx: Context
}

interface Place<Params extends z.ZodObject, Query extends z.ZodObject> extends Gate {
  path: string
  summary: string
  section?: Section
  params?: Params
  query?: Query
  formBytes?: number
}

/**
 * Declares a dashboard page. If the user is not signed in, redirects to the sign-in page first. `view` can also return
 * a redirect, for example to a URL that works once.
 */
export function page<Params extends z.ZodObject = typeof NoFields, Query extends z.ZodObject = typeof NoFields>(
  declaration: Place<Params, Query> & {
    view(call: PageCall<z.output<Params>, z.output<Query>>): Promise<View | { to: string }>
  },
): Route {
  const made = route({
    ...shared,
    method: 'GET',
    ...placed(declaration),
    async handle(call) {
      const allowed = await requireMember(call, declaration)
      if (!allowed) return
      const shown = await declaration.view(allowed as never).catch(refusal)
      if ('to' in shown) redirectTo(allowed.ctx, shown.to)
      else await send(allowed, declaration, shown)
    },
  })
  return recordPage(made, declaration.permission)
}

const declared: readonly number[] = [401, 403, 404]

function refusal(error: unknown): View {
  if (!(error instanceof Problem) || error.status >= 500 || declared.includes(error.status)) throw error
  const main = html`<h1>Temporarily unavailable</h1><p class="fault" role="alert">${error.message}</p>`
  return { title: 'Temporarily unavailable', main, status: error.status }
}

/** The result of a form: a redirect with an optional message, or a page that is shown once. */
export type Outcome = { to: string; told?: string } | { view: View }

/**
 * Declares a dashboard form at one path. `show` displays the form and `submit` processes it. If `submit` throws a
 * `Problem` with a 4xx status, the form is shown again with the submitted values and the error at each field.
 */
export function formPage<
  Fields extends z.ZodObject,
  Params extends z.ZodObject = typeof NoFields,
  Query extends z.ZodObject = typeof NoFields,
>(
  declaration: Place<Params, Query> & {
    fields: Fields
    view(
      call: PageCall<z.output<Params>, z.output<Query>> & { filled: FormState; fault: string | undefined },
    ): Promise<View>
    submit(call: PageCall<z.output<Params>, z.output<Query>> & { given: z.output<Fields> }): Promise<Outcome>
  },
): { show: Route; submit: Route } {
  const show = page({
    ...declaration,
    view: (call) => declaration.view({ ...call, filled: { given: {}, faults: {} }, fault: undefined }),
  })
  const submit = route({
    ...shared,
    method: 'POST',
    limit: formLimit,
    ...placed(declaration),
    async handle(call) {
      checkSource(call.ctx, call.origin)
      const entered = await readConfirmableForm(call, declaration)
      if (!entered) return
      const { allowed, given } = entered
      try {
        const fields = parseForm(declaration.fields, given)
        if (declaration.stepUp) requireStepUp(allowed.member)
        await finish(allowed, declaration, await declaration.submit({ ...allowed, given: fields } as never))
      } catch (error) {
        if (!(error instanceof Problem) || error.status >= 500) throw error
        const faults = getFieldFaults(error)
        const fault = faultOf(error, faults, declaration.fields)
        const view = await declaration.view({ ...allowed, filled: { given, faults }, fault } as never)
        const dialog = error instanceof ConfirmationRequired && (await showConfirmation(call, entered))
        await send(allowed, declaration, { ...view, main: html`${dialog}${view.main}`, status: error.status })
      }
    },
  })
  return { show, submit }
}

/** Returns the message above a form. `undefined` if the dialog for the confirmation explains the refusal. */
function faultOf(error: Problem, faults: FormState['faults'], { shape }: z.ZodObject): string | undefined {
  if (error instanceof ConfirmationRequired) return undefined
  const names = Object.keys(faults)
  return names.length > 0 && names.every((name) => name in shape) ? 'Some fields are invalid.' : error.message
}

export function action<Fields extends z.ZodObject = typeof NoFields, Params extends z.ZodObject = typeof NoFields>(
  declaration: Omit<Place<Params, typeof NoFields>, 'query' | 'section'> & {
    fields?: Fields
    perform(call: PageCall<z.output<Params>, Record<string, never>> & { given: z.output<Fields> }): Promise<Outcome>
    back(params: z.output<Params>): string
  },
): Route {
  return route({
    ...shared,
    method: 'POST',
    limit: formLimit,
    ...placed(declaration),
    async handle(call) {
      checkSource(call.ctx, call.origin)
      const back = declaration.back((call as { params: z.output<Params> }).params)
      const entered = await readConfirmableForm(call, declaration)
      if (!entered) return
      const { allowed, given } = entered
      const fields = parseForm(declaration.fields ?? NoFields, given)
      try {
        if (declaration.stepUp) requireStepUp(allowed.member)
        await finish(allowed, {}, await declaration.perform({ ...allowed, given: fields } as never))
      } catch (error) {
        if (!(error instanceof Problem) || error.status >= 500 || error.status === 404) throw error
        if (error instanceof ConfirmationRequired) {
          const main = await showConfirmation(call, entered, back)
          await send(allowed, {}, { title: 'Confirm your identity', main, status: error.status })
        } else await finish(allowed, {}, { to: back, told: error.message })
      }
    },
  })
}

function placed<Params extends z.ZodObject, Query extends z.ZodObject>({
  path,
  summary,
  params,
  query,
}: Place<Params, Query>) {
  return { path, summary, params: (params ?? NoFields) as Params, query: (query ?? NoFields) as Query }
}

async function send(
  { ctx, db, member, services }: Allowed,
  { section }: { section?: Section },
  view: View,
): Promise<void> {
  if (member.told !== null) await sessions.tell(db, member.sessionId, null)
  if (view.status !== undefined) ctx.status = view.status
  const viewer = {
    csrf: member.csrf,
    told: member.told,
    label: member.email,
    hint: `${member.role} of ${member.orgName}`,
    account: '/app/you',
    ends: { now: new Date(), idleUntil: member.idleUntil, expiresAt: member.expiresAt },
  }
  const groups = getNavigationGroups(services(dashboardContents).sections, member.role)
  const [closing, support, context] = await Promise.all([
    closingBanner(db, member),
    supportBanner(db, member.orgId),
    renderOrganisation(db, member),
  ])
  const around = { frame: dashboardFrame, groups, section, viewer, context, banner: closing ?? support }
  sendPage(ctx, document(view, around), view.reaches)
}

async function finish(allowed: Allowed, declaration: { section?: Section }, outcome: Outcome): Promise<void> {
  if ('view' in outcome) return await send(allowed, declaration, outcome.view)
  if (outcome.told !== undefined) await sessions.tell(allowed.db, allowed.member.sessionId, outcome.told)
  redirectTo(allowed.ctx, outcome.to)
}
