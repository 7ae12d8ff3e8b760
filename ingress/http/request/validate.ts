import type { Context } from 'koa'
import type { z } from 'zod'
import { badRequest, type Fault, notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Route } from '../route.ts'
import { bodyLimitOf, readValue } from './body.ts'
import { check } from './issues.ts'
import { checkText } from './json.ts'
import { queryReader } from './query.ts'

/** What a route's schemas made of a request; `given` is the body before them. */
export interface Input {
  params: unknown
  query: unknown
  body: unknown
  given: unknown
}

const missing = new WeakMap<z.ZodType, string>()

/** The schema of an id in a path, with a word for what is not there; plain `Id` takes its word from the name, as in `assetId`. */
export function pathId(what: string): typeof Id {
  const schema = Id.clone()
  missing.set(schema, what)
  return schema
}

/** Makes the function that reads and checks a route's params, query and body; it throws one 400 that names every fault. */
export function validator(route: Route): (ctx: Context) => Promise<Input> {
  const checkParams = route.params && paramsReader(route.params as z.ZodObject)
  const checkQuery = queryReader(route.query, route.ignoresOtherQuery === true)
  const bodySchema = route.body
  const reading = {
    limit: bodyLimitOf(route),
    beacon: route.beacon === true,
    alsoTakes: route.alsoTakes ?? {},
  }
  return async (ctx) => {
    const faults: Fault[] = []
    const params = checkParams ? checkParams(ctx.params, faults) : ctx.params
    if (!checkParams) checkText(params, 'path', faults)
    const query = checkQuery(ctx.querystring, faults)
    const given = bodySchema && (await readValue(ctx.req, ctx.res, reading))
    ctx.state.given = given
    const body = bodySchema && check(bodySchema, given, 'body', faults)
    if (faults.length > 0) throw badRequest(faults)
    return { params, query, body, given }
  }
}

function paramsReader(schema: z.ZodObject): (raw: Record<string, string>, faults: Fault[]) => unknown {
  const ids = Object.entries(schema.shape).map(
    ([name, part]) =>
      [name, missing.get(part as z.ZodType) ?? (part === Id ? name.replace(/Id$/, '') : undefined)] as const,
  )
  return (raw, faults) => {
    // On every route, what is no id is answered 404 like an id that nothing has.
    for (const [name, what] of ids) {
      if (what !== undefined && !Id.safeParse(raw[name]).success) throw notFound(what)
    }
    checkText(raw, 'path', faults)
    return check(schema, raw, 'path', faults)
  }
}
