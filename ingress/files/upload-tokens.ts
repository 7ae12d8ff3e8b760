import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as tokens from '#sql/account/upload-tokens.ts'
import { maxFileBytes } from '#tasks/files/rules/take-parts.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import {
  limitFields,
  newToken,
  presentToken,
  shownFields,
  signStartToken,
  uploadTokenField,
} from '../http/uploads/token-routes.ts'
import { getOwner, Name, requireTenant, tenant_id } from './owner.ts'

const area = 'files'

const Token = z
  .object({ ...shownFields, product_key: z.string(), tenant_id: z.string() })
  .meta({ id: 'files.UploadToken' })

const present = (row: tokens.UploadToken): z.input<typeof Token> => ({
  ...presentToken(row),
  product_key: row.product_key ?? '',
  tenant_id: row.tenant_id ?? '',
})

export const create = route({
  method: 'POST',
  path: '/upload-tokens',
  summary: 'Create an upload token for a web page',
  description:
    'The page starts uploads in parts with this token instead of an API key. The token is valid for one product and tenant, and only on its origins.',
  scope: 'files:write',
  locks: ['tenant_id'],
  body: z.strictObject({
    product_key: Name.describe('Product that the files belong to'),
    tenant_id: Name.describe('Tenant that the files belong to'),
    ...limitFields(maxFileBytes),
  }),
  status: 201,
  reply: Token.extend(uploadTokenField).meta({ id: 'files.NewUploadToken' }),
  problems: ['forbidden'],
  example: {
    body: {
      product_key: 'crm',
      tenant_id: 'acme',
      max_bytes: 104857600,
      max_files: 5,
      origins: ['https://example.com'],
    },
  },
  async handle({ body, org, key, db, services }) {
    requireTenant({ key }, body.tenant_id)
    const { product_key, tenant_id, ...limits } = body
    const row = await tokens.insert(db, { ...newToken(org.id, key.id, area, limits), product_key, tenant_id })
    return { ...present(row), upload_token: signStartToken(row, services(signingSecret)) }
  },
})

export const list = listRoute({
  path: '/upload-tokens',
  summary: 'List upload tokens, newest first',
  description:
    'Lists the limits of each token and the number of files that its page has started. The tokens themselves are not returned.',
  scope: 'files:read',
  locks: ['tenant_id'],
  query: { tenant_id: Name.optional() },
  otherParams: ['tenant_id'],
  item: Token,
  problems: ['not_found'],
  async rows({ query, org, key, db }, page) {
    return await tokens.list(db, { ...getOwner({ org, key }, query.tenant_id), area }, page)
  },
  present,
})

export const revoke = removeRoute({
  path: '/upload-tokens/{id}',
  summary: 'Revoke an upload token',
  description: 'The page can start no more uploads, and cannot continue the uploads that it started.',
  scope: 'files:write',
  locks: ['tenant_id'],
  params: z.object({ id: pathId('upload token') }),
  query: z.object({ tenant_id }),
  what: 'upload token',
  reply: { upload_token_id: Id },
  done: 'revoked',
  remove: async ({ params: { id }, query, org, key, db }) =>
    await tokens.revoke(db, { ...getOwner({ org, key }, query.tenant_id), area }, id),
})
