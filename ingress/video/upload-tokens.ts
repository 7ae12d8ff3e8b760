import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { maxPartsBytes } from '#lib/storage/part-plan.ts'
import * as tokens from '#sql/account/upload-tokens.ts'
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

const area = 'stream'

const Token = z.object(shownFields).meta({ id: 'video.UploadToken' })

export const create = route({
  method: 'POST',
  path: '/upload-tokens',
  beyondContract: true,
  summary: 'Create an upload token for a web page',
  description:
    'The page starts video uploads with this token instead of an API key. It can set `bytes`, `filename`, `mimeType` and `title`.',
  scope: 'stream:write',
  body: z.strictObject(limitFields(maxPartsBytes)),
  status: 201,
  reply: Token.extend(uploadTokenField).meta({ id: 'video.NewUploadToken' }),
  example: { body: { max_bytes: 2147483648, max_files: 5, origins: ['https://example.com'] } },
  async handle({ body, org, key, db, services }) {
    const row = await tokens.insert(db, newToken(org.id, key.id, area, body))
    return { ...presentToken(row), upload_token: signStartToken(row, services(signingSecret)) }
  },
})

export const list = listRoute({
  path: '/upload-tokens',
  beyondContract: true,
  summary: 'List upload tokens, newest first',
  description:
    'Lists the limits of each token and the number of files that its page has started. The tokens themselves are not returned.',
  scope: 'stream:read',
  item: Token,
  rows: async ({ org, db }, page) => await tokens.list(db, { orgId: org.id, area }, page),
  present: presentToken,
})

export const revoke = removeRoute({
  path: '/upload-tokens/{id}',
  beyondContract: true,
  summary: 'Revoke an upload token',
  description: 'The page can start no more uploads, and cannot continue the uploads that it started.',
  scope: 'stream:write',
  params: z.object({ id: pathId('upload token') }),
  what: 'upload token',
  reply: { upload_token_id: Id },
  done: 'revoked',
  remove: async ({ params: { id }, org, db }) => await tokens.revoke(db, { orgId: org.id, area }, id),
})
