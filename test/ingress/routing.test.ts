import type { Context } from 'koa'
import t from 'tap'
import { areas } from '../../ingress/areas.ts'
import { createRouter, serveRoutes } from '../../ingress/http/routing.ts'

// biome-ignore lint/suspicious/noExplicitAny: only what the router reads of a request.
type Handle = (ctx: any, next: () => Promise<void>) => Promise<unknown>

t.test('each path leads to the operation to which the whole router leads', async (t) => {
  let found = ''
  const all = areas.flatMap(({ operations }) => operations)
  const serve = (id: string) => async (ctx: Context) => {
    found = `${id} ${JSON.stringify(ctx.params)}`
  }
  const router = createRouter(new Map(all.map((one) => [one, { serve: serve(one.id) }])))
  const [whole, parts] = [router.routes(), serveRoutes(router)] as unknown as [Handle, Handle]
  const lead = async (handle: Handle, method: string, path: string) => {
    found = 'nowhere'
    await handle({ path, method, req: {}, request: {}, state: {} }, async () => {})
    return found
  }
  let led = 0
  for (const { path, route } of all) {
    const plain = path.replace(/\{\w+\}/g, 'a%20b')
    for (const one of [plain, `${plain}/`, `${plain}/more`, `/more${plain}`, plain.slice(0, -1)]) {
      const method = route.method === 'GET' && led % 2 ? 'HEAD' : route.method
      const to = await lead(parts, method, one)
      if (to !== (await lead(whole, method, one))) t.equal(to, await lead(whole, method, one), `${method} ${one}`)
      if (to !== 'nowhere') led++
    }
  }
  t.ok(led > all.length, `${led} paths lead to operations`)
})
