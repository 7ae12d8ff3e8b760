import type { PassThrough } from 'node:stream'
import type { Context } from 'koa'
import { z } from 'zod'
import type { Problem } from '#lib/errors.ts'

export const regionStream = {
  method: 'GET',
  path: '/regions',
  summary: 'Stream the regions of a console page',
  query: z.object({ watch: z.array(z.string().max(200)).max(20) }),
  raw: 'text/event-stream',
  renderProblem: (ctx: Context, problem: Problem) => {
    ctx.type = 'text/plain'
    ctx.body = problem.message
  },
} as const

export function sendStream(ctx: Context, out: PassThrough): void {
  ctx.res.once('close', () => out.destroy())
  // Prevents proxies from buffering the events.
  ctx.set('x-accel-buffering', 'no')
  ctx.body = out
}
