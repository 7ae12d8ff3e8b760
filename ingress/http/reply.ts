import type { Context } from 'koa'
import { createPresenter, type HandledCall } from './answering.ts'
import type { Operation } from './area.ts'
import { computeEtag, matchesEtag } from './etag.ts'
import type { Answer } from './idempotency.ts'

interface Replies {
  /** Sends the response. `handle` runs the route’s handler, unless the route is `raw` and writes the response itself. */
  send(ctx: Context, call: HandledCall, handle: () => Promise<Answer>): Promise<void>
  /** Returns the response to a call without HTTP. */
  toValue(call: HandledCall, answer: Answer): Promise<unknown>
}

export function createReplies(operation: Operation): Replies {
  const { route } = operation
  const present = createPresenter(operation)
  const follow = route.follow as ((kept: unknown, call: unknown) => Promise<unknown>) | undefined
  const handleRaw = route.handle as ((call: unknown) => Promise<unknown>) | undefined

  async function sendRaw(ctx: Context, call: HandledCall): Promise<void> {
    ctx.status = route.status
    ctx.set('cache-control', 'no-store')
    if (typeof route.raw === 'string') ctx.type = route.raw
    await handleRaw?.(call)
  }

  /** Sends the response that `follow` creates from the stored result. `follow` can also send an event stream itself. */
  async function sendFollowed(ctx: Context, call: HandledCall, { text, replayed }: Answer): Promise<void> {
    ctx.status = route.status
    ctx.set('cache-control', 'no-store')
    if (replayed) ctx.set('idempotent-replayed', 'true')
    const value = await follow?.(JSON.parse(text), { ...call, ctx, replayed })
    if (value !== undefined) sendJson(ctx, { text: present(value), replayed })
  }

  function sendJson(ctx: Context, { text, replayed }: Answer): void {
    if (replayed) ctx.set('idempotent-replayed', 'true')
    ctx.set('cache-control', route.etag ? 'private, no-cache' : 'no-store')
    ctx.body = text === '' ? null : text
    ctx.status = route.status
    if (text !== '') ctx.type = 'application/json; charset=utf-8'
    if (!route.etag) return
    const tag = computeEtag(text)
    ctx.set('etag', tag)
    if (matchesEtag(ctx.get('if-none-match'), tag)) ctx.status = 304
  }

  return {
    async send(ctx, call, handle) {
      if (route.raw !== undefined) await sendRaw(ctx, call)
      else if (follow) await sendFollowed(ctx, call, await handle())
      else sendJson(ctx, await handle())
    },
    async toValue(call, { text, replayed }) {
      if (follow) return JSON.parse(present(await follow(JSON.parse(text), { ...call, replayed })))
      return text === '' ? undefined : JSON.parse(text)
    },
  }
}
