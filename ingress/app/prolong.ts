import type { Context } from 'koa'
import { redirectTo } from '../http/dashboard/admit.ts'
import { shared } from '../http/dashboard/page.ts'
import { findMember, type Member } from '../http/dashboard/session.ts'
import { regionStream } from '../http/pages/region-stream.ts'
import { route } from '../http/route.ts'
import { readMemberForm } from './form.ts'

const { renderProblem } = regionStream
const common = { ...shared, path: '/prolong', raw: 'text/plain; charset=utf-8', renderProblem } as const

function tellEnd(ctx: Context, { idleUntil }: Member): void {
  ctx.set('cache-control', 'no-store')
  ctx.type = 'text/plain; charset=utf-8'
  ctx.body = idleUntil.toISOString()
}

export const read = route({
  ...common,
  method: 'GET',
  summary: 'Get the expiry of the session',
  async handle({ ctx, db }) {
    const member = await findMember(ctx, db, { isUse: false })
    if (member) tellEnd(ctx, member)
    else redirectTo(ctx, '/app/sign-in')
  },
})

export const prolong = route({
  ...common,
  method: 'POST',
  summary: 'Extend the session',
  async handle(call) {
    const { member } = await readMemberForm(call, {})
    tellEnd(call.ctx, member)
  },
})
