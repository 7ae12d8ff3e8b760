import { z } from 'zod'
import { forbidden } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import { readBearerToken } from '../../http/bearer-token.ts'
import type { AnyCall } from '../../http/call.ts'
import { checkRoute, type Route } from '../../http/route.ts'
import { answerersByRoute } from '../../http/services.ts'
import { findPortalHolder, type Holder } from './holder.ts'

/** Settings of the routes for web pages. The portal token (`Authorization: Bearer …`) selects the app. */
export const ofPortal = { public: true, cors: true, hidden: true, limit: { perMinute: 300, by: 'ip' } } as const

type PortalCall = Pick<AnyCall, 'header' | 'services' | 'ip' | 'origin' | 'requestId'> & { db: DatabasePool }

export const findHolder = ({ db, services, header }: PortalCall): Promise<Holder> =>
  findPortalHolder(db, services, readBearerToken(header('authorization'), 'portal'), 'token')

interface Given {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, unknown>>
  body?: unknown
}

/** Calls an operation with the permissions of a portal token. */
export async function askAs(
  { caller, app }: Holder,
  call: PortalCall,
  operation: Route,
  given: Given,
): Promise<unknown> {
  const answerer = call.services(answerersByRoute).get(operation)
  if (!answerer) throw new Error(`No area of this process has ${operation.method} ${operation.path}.`)
  const { ip, origin, requestId } = call
  const actor = { kind: 'key', id: caller.key.id, name: `Portal of ${app.name}` } as const
  const { params, query = {}, body } = given
  const texts = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  const asked = { ...(params && { params }), query: Object.fromEntries(texts), body }
  // A customer of the organisation never uses the limits of the organisation or of its other customers.
  return await answerer.ask(asked, caller, { ip, origin, requestId, actor, limitedAs: app.id })
}

const appPath = /^\/apps\/\{(\w+)\}/

/**
 * Declares the portal’s form of an operation on an app. The app comes from the token and not from the path, so a token
 * cannot access another app. `read` tokens can call only operations that read.
 */
export function portalRoute(operation: Route, capability: Holder['subject']['capability']): Route {
  const name = appPath.exec(operation.path)?.[1]
  if (name === undefined) throw new Error(`${operation.path} is not a path of an app.`)
  const { method, path, summary, params, query, body, reply, status, problems = [] } = operation
  const { [name]: _, ...rest } = params?.shape ?? {}
  return checkRoute({
    ...ofPortal,
    ...{ method, summary, status },
    path: path.replace(appPath, '/portal'),
    ...(Object.keys(rest).length > 0 && { params: z.object(rest) }),
    ...(query && { query }),
    ...(body && { body }),
    ...(reply && { reply }),
    problems: [...new Set([...problems, 'unauthorized', 'forbidden', 'not_found', 'conflict'] as const)],
    async handle(call: PortalCall & Required<Given>) {
      const holder = await findHolder(call)
      if (capability === 'manage' && holder.subject.capability !== 'manage')
        throw forbidden('This portal token can only read. Create one with the capability `manage`.')
      const given = { params: { ...call.params, [name]: holder.app.id }, query: call.query, body: call.body }
      return await askAs(holder, call, operation, given)
    },
  } as unknown as Route)
}
