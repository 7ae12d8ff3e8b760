import type { Context } from 'koa'
import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import type { Deliverable } from '#sql/files/deliveries.ts'
import { viewerRoute } from '../http/pages/open-routes.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret, storage } from '../http/services.ts'
import { servedDomains } from '../playback/served-domains.ts'
import { getHost } from '../playback/urls.ts'
import { type Disposition, setCaching, setContentHeaders, setEmbeddingHeaders } from './delivery/headers.ts'
import { readTransformation, transformation } from './delivery/images.ts'
import { getDeliverable } from './delivery/lookup.ts'
import { sendStored } from './delivery/send.ts'
import { checkToken, getFilePath, tokenExpired, tokenInvalid, tokenRevoked } from './delivery/signed-urls.ts'
import { transfers } from './delivery/transfers.ts'
import { getServedType } from './delivery/types.ts'
import { imageProblems } from './images/problems.ts'

export const file = route({
  ...viewerRoute,
  path: '/f/{id}/{name}',
  summary: 'Deliver a file',
  withoutDatabase: true,
  params: z.object({ id: pathId('file'), name: z.string().max(2_000) }),
  status: 200,
  raw: true,
  problems: ['not_found', 'rate_limited', tokenInvalid, tokenExpired, tokenRevoked, ...imageProblems],
  async handle({ ctx, params: { id, name }, db, ip, origin, services }) {
    const object = await getDeliverable(db, id.toLowerCase())
    const owner = await services(servedDomains).ownerOf(getHost(origin))
    if (!object || (owner !== undefined && owner !== object.org_id)) throw notFound('file')
    const query = new URLSearchParams(ctx.querystring)
    const isPublic = object.visibility === 'public'
    const token = query.get('token') ?? undefined
    const claims = isPublic && token === undefined ? null : checkToken(token, object, services(signingSecret))
    setEmbeddingHeaders(ctx)
    setCaching(ctx, isPublic)
    if (name !== object.filename) return redirectToName(ctx, object)
    services(transfers).reserve(ctx.res, object.org_id, ip)
    const params = readTransformation(query)
    if (params && (await transformation(ctx, object, params, { services, ip }))) return
    const served = getServedType(object)
    const disposition: Disposition = query.has('download')
      ? 'attachment'
      : (claims?.as ?? (served.isInline ? 'inline' : 'attachment'))
    setContentHeaders(ctx, served, disposition, object.filename)
    await sendStored(ctx, services(storage), contentOf(object))
  },
})

/** An object can be renamed, and its versions can have different names, so earlier URLs lead to the current name. */
function redirectToName(ctx: Context, { object_id, filename }: Deliverable): void {
  ctx.status = 302
  ctx.set('location', getFilePath(object_id, filename) + ctx.search)
  ctx.body = ''
}

const contentOf = ({ version, sha256, held_key, byte_size, uploaded_at }: Deliverable) => ({
  key: held_key,
  bytes: byte_size,
  etag: `"${version}-${sha256.slice(0, 32)}"`,
  modified: new Date(Math.floor((uploaded_at?.getTime() ?? 0) / 1000) * 1000),
})
