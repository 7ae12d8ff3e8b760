import type { Context } from 'koa'
import { z } from 'zod'
import * as sessions from '#sql/account/people/sessions.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Section } from '../html/frame.ts'
import { type Html, html, queryString } from '../html/html.ts'
import { bareDocument, document, sendPage, type View } from '../html/layout.ts'
import { htmlReply, pageProblems, problemPage } from '../html/problem-page.ts'
import { type Route, route } from '../route.ts'
import { consoleContents, consoleFrame } from './contents.ts'
import { showRegion } from './regions.ts'
import { findOperator, type Operator } from './session.ts'

export const shared = {
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  limit: false,
  ...htmlReply,
  renderProblem: problemPage(consoleFrame),
  problems: [...pageProblems, 'rate_limited'],
} as const

const NoFields = z.object({})

interface Page<Params extends z.ZodObject, Query extends z.ZodObject> {
  path: string
  summary: string
  section?: Section
  params?: Params
  query?: Query
  view(call: {
    db: DatabasePool
    params: z.output<Params>
    query: z.output<Query>
    operator: Operator
    ctx: Context
    region(name: string): Promise<Html>
    notices: readonly string[]
  }): Promise<View>
}

/** Declares a console page. If the user is not signed in, redirects to the sign-in page first. */
export function page<Params extends z.ZodObject = typeof NoFields, Query extends z.ZodObject = typeof NoFields>(
  declaration: Page<Params, Query>,
): Route {
  const { path, summary, section, params, query, view } = declaration
  return route({
    ...shared,
    method: 'GET',
    path,
    summary,
    params: (params ?? NoFields) as Params,
    query: (query ?? NoFields) as Query,
    async handle(call) {
      const { db, ctx, services } = call
      const operator = await findOperator(ctx, db)
      if (!operator) return askToSignIn(ctx)
      const given = call as { params: z.output<Params>; query: z.output<Query> }
      const { groups, regions } = services(consoleContents)
      const region = (name: string) => showRegion(regions, db, name)
      const notices = Object.keys(regions).filter((name) => regions[name]?.notice)
      const shown = await view({ db, ctx, operator, params: given.params, query: given.query, region, notices })
      if (operator.told !== null) await sessions.tell(db, operator.id, null)
      if (shown.status !== undefined) ctx.status = shown.status
      const context = html`<span class="context">${consoleFrame.name}</span>`
      sendPage(ctx, document(shown, { frame: consoleFrame, groups, section, viewer: operator, context }))
    },
  })
}

function askToSignIn(ctx: Context): void {
  if (ctx.get('sec-fetch-site') === 'cross-site') {
    comeAgain(ctx)
    return
  }
  ctx.redirect(`/ops/sign-in${queryString({ to: ctx.url === '/ops' ? undefined : ctx.url })}`)
  ctx.status = 303
  ctx.set('cache-control', 'no-store')
}

/**
 * Reloads the page. A link from another site does not send a SameSite=Strict cookie, but a reload from our page does.
 */
function comeAgain(ctx: Context): void {
  const main = html`<p><a href="${ctx.url}">Continue to the console</a></p>`
  sendPage(ctx, bareDocument(consoleFrame, { title: 'Console', main }, html`<meta http-equiv="refresh" content="0">`))
}
