import type { PassThrough } from 'node:stream'
import type { Context } from 'koa'
import { z } from 'zod'
import type { Problem } from '#lib/errors.ts'

/** What the routes have in common that tell pages what their regions become. */
export const regionStream = {
  method: 'GET',
  path: '/regions',
  summary: 'Watch regions of a page',
  query: z.object({ watch: z.array(z.string().max(200)).max(20) }),
  raw: 'text/event-stream',
  renderProblem: (ctx: Context, problem: Problem) => {
    ctx.type = 'text/plain'
    ctx.body = problem.message
  },
} as const

/** Answers with what a hub has to tell, until the page is left. */
export function sendStream(ctx: Context, out: PassThrough): void {
  ctx.res.once('close', () => out.destroy())
  // Proxies that collect answers would hold the events back.
  ctx.set('x-accel-buffering', 'no')
  ctx.body = out
}
