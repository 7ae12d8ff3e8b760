import type { Context } from 'koa'
import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import type { Deliverable } from '#sql/files/deliveries.ts'
import type { Services } from '../http/container.ts'
import { filesUrl } from '../http/hosts.ts'
import { viewerRoute } from '../http/pages/open-routes.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret, storage } from '../http/services.ts'
import { servedDomains } from '../playback/served-domains.ts'
import { getHost } from '../playback/urls.ts'
import { type Disposition, setCaching, setContentHeaders, setEmbeddingHeaders } from './delivery/headers.ts'
import { readTransformation, transformation } from './delivery/images.ts'
import { getDeliverable } from './delivery/lookup.ts'
import { preconditionFailed, sendStored } from './delivery/send.ts'
import { getServedType } from './delivery/served-type.ts'
import { checkToken, readClaims, tokenExpired, tokenInvalid, tokenRevoked } from './delivery/tokens.ts'
import { transfers } from './delivery/transfers.ts'
import { getFilePath } from './delivery/urls.ts'
import { imageProblems } from './images/problems.ts'

export const file = route({
  ...viewerRoute,
  path: '/f/{id}/{name}',
  summary: 'Deliver a file',
  delivers: true,
  withoutDatabase: true,
  params: z.object({ id: pathId('file'), name: z.string().max(2_000) }),
  raw: true,
  status: 200,
  problems: [
    'not_found',
    'rate_limited',
    preconditionFailed,
    tokenInvalid,
    tokenExpired,
    tokenRevoked,
    ...imageProblems,
  ],
  async handle({ ctx, params: { id, name }, db, ip, origin, services }) {
    const owner = await findDomainOwner(origin, services)
    if (owner === undefined && isOnWrongHost(origin)) return redirect(ctx, filesUrl?.origin + ctx.path)
    const object = await getDeliverable(db, id.toLowerCase())
    if (!object || (owner !== undefined && owner !== object.org_id)) throw notFound('file')
    const query = new URLSearchParams(ctx.querystring)
    const isPublic = object.visibility === 'public'
    const token = query.get('token')
    const claims = (isPublic ? readClaims : checkToken)(token, object, services(signingSecret))
    setEmbeddingHeaders(ctx)
    setCaching(ctx, isPublic, object.expires_at)
    if (name !== object.filename) return redirect(ctx, getFilePath(object.object_id, object.filename))
    services(transfers).start({ res: ctx.res, object, isSigned: !isPublic }, ip)
    const params = readTransformation(query)
    if (params && (await transformation(ctx, object, params, { services, ip }))) return
    const served = getServedType(object)
    const usual = claims?.as ?? (served.isInline ? 'inline' : 'attachment')
    const disposition: Disposition = query.has('download') ? 'attachment' : usual
    setContentHeaders(ctx, served, disposition, object.filename)
    await sendStored(ctx, services(storage), contentOf(object))
  },
})

/** Returns the organisation whose domain the request uses. */
const findDomainOwner = (origin: string, services: Services): Promise<string | undefined> =>
  services(servedDomains).ownerOf(getHost(origin))

const isOnWrongHost = (origin: string): boolean => filesUrl !== undefined && getHost(origin) !== filesUrl.hostname

/**
 * Keeps the query. An object can be renamed, and its versions can have different names, so that URLs with an earlier
 * name lead to the current one.
 */
function redirect(ctx: Context, to: string): void {
  ctx.status = 302
  ctx.set('location', to + ctx.search)
  ctx.body = ''
}

const contentOf = ({ version, sha256, held_key, byte_size, uploaded_at }: Deliverable) => ({
  key: held_key,
  bytes: byte_size,
  etag: `"${version}-${sha256.slice(0, 32)}"`,
  modified: new Date(Math.floor((uploaded_at?.getTime() ?? 0) / 1000) * 1000),
})
