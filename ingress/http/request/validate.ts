import type { Context } from 'koa'
import type { z } from 'zod'
import { badRequest, type Fault, notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Route } from '../route.ts'
import { getBodyLimit, readValue } from './body.ts'
import { parseWithFaults } from './issues.ts'
import { checkText } from './json.ts'
import { createQueryReader } from './query.ts'

export interface Input {
  params: unknown
  query: unknown
  body: unknown
  given: unknown
}

const missing = new WeakMap<z.ZodType, string>()

/**
 * Returns the schema of an ID in a path. `what` is the noun in the 404 message. For plain `Id`, the noun comes from the
 * parameter name, for example `assetId`.
 */
export function pathId(what: string): typeof Id {
  const schema = Id.clone()
  missing.set(schema, what)
  return schema
}

export interface AskedInput {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string>>
  body?: unknown
}

interface Validator {
  ofRequest(ctx: Context, orgId: string | undefined): Promise<Input>
  ofPage(given: AskedInput): Input
}

export function createValidator(route: Route): Validator {
  const checkParams = route.params && paramsReader(route.params as z.ZodObject)
  const checkQuery = createQueryReader(route.query, route.ignoresOtherQuery === true)
  const bodySchema = route.body
  const reading = {
    limit: getBodyLimit(route),
    beacon: route.beacon === true,
    alsoTakes: route.alsoTakes ?? {},
    itemsApart: route.itemsApart,
  }
  function checked(faults: Fault[], place: { params: Record<string, string>; query: unknown }, given: unknown): Input {
    const body = bodySchema && parseWithFaults(bodySchema, given, 'body', faults)
    if (faults.length > 0) throw badRequest(faults)
    return { ...place, body, given }
  }

  function placeOf(raw: Record<string, string>, querystring: string, faults: Fault[]) {
    const params = checkParams ? (checkParams(raw, faults) as Record<string, string>) : raw
    if (!checkParams) checkText(params, 'path', faults)
    return { params, query: checkQuery(querystring, faults) }
  }

  return {
    async ofRequest(ctx, orgId = '') {
      const faults: Fault[] = []
      const place = placeOf(ctx.params, ctx.querystring, faults)
      const given =
        bodySchema && (await readValue(ctx.req, ctx.res, { ...reading, querystring: ctx.querystring, orgId }))
      ctx.state.given = given
      return checked(faults, place, given)
    },
    ofPage({ params = {}, query = {}, body }) {
      const faults: Fault[] = []
      const place = placeOf(params, new URLSearchParams(query).toString(), faults)
      if (bodySchema) checkText(body, 'body', faults)
      return checked(faults, place, body)
    },
  }
}

function paramsReader(schema: z.ZodObject): (raw: Record<string, string>, faults: Fault[]) => unknown {
  const ids = Object.entries(schema.shape).map(
    ([name, part]) =>
      [name, missing.get(part as z.ZodType) ?? (part === Id ? name.replace(/Id$/, '') : undefined)] as const,
  )
  return (raw, faults) => {
    for (const [name, what] of ids) {
      if (what !== undefined && !Id.safeParse(raw[name]).success) throw notFound(what)
    }
    checkText(raw, 'path', faults)
    return parseWithFaults(schema, raw, 'path', faults)
  }
}
