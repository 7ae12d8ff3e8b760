import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import * as audit from '#sql/account/audit.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as settings from '#sql/files/settings.ts'
import { getServedVersion } from '#sql/files/versions.ts'
import { actorOfCall } from '../http/acting.ts'
import { filesUrl } from '../http/hosts.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { getPlaybackBases } from '../playback/hosts.ts'
import { signUrlToken } from './delivery/tokens.ts'
import { getFilePath, getFilesBase } from './delivery/urls.ts'
import { getOwner, tenant_id } from './owner.ts'

const path = '/objects/{id}/signed-urls'

const params = z.object({ id: pathId('object') })

const maxSeconds = 30 * 86_400

const isPrivate = problem(409, 'object_private', 'The object is private, so no URL delivers it.')

export const create = route({
  method: 'POST',
  path,
  repeatable: true,
  summary: 'Create a signed URL for a file',
  description:
    'Everyone who has the URL can load the file until it expires or is revoked. The URL ends with the object’s `expires_at`, if that is earlier. The URL delivers the newest clean version. If no version is clean, it returns `404`.',
  scope: 'files:read',
  locks: ['tenant_id'],
  params,
  body: z.strictObject({
    expires_in: z
      .int()
      .min(10)
      .max(maxSeconds)
      .default(3_600)
      .describe('Time to live in seconds, 10 to 2,592,000. Default: 3,600.'),
    disposition: z
      .enum(['inline', 'attachment'])
      .optional()
      .describe('Whether browsers display or save the file. Default: display safe types only.'),
    host: z
      .string()
      .max(253)
      .toLowerCase()
      .optional()
      .describe('Host of the URL: an active domain of your organisation. Default: the host of files.'),
    tenant_id,
  }),
  status: 200,
  reply: z.object({
    object_id: Id,
    url: secret(z.url()),
    expires_in_seconds: z.int(),
    expires_at: Instant,
  }),
  problems: ['not_found', isPrivate],
  example: { body: { expires_in: 600 } },
  async handle({ params: { id }, body, org, key, db, origin, services }) {
    const { expires_in, disposition, host, tenant_id } = body
    const owner = getOwner({ org, key }, tenant_id)
    const asked = await mustFind(objects.find(db, owner, id), 'object')
    const gen = await mustFind(settings.findUrlGeneration(db, owner, id), 'object')
    if (asked.visibility === 'private')
      throw isPrivate('The object is private. Set its `visibility` to `signed` or `public` with `PATCH` first.')
    const base = await getBase(db, org, origin, host)
    const { filename } = await getServedVersion(db, asked)
    const exp = endOf(expires_in, asked.expires_at)
    const claims = { oid: id, gen, ...(disposition && { as: disposition }), exp }
    return {
      object_id: id,
      url: `${base}${getFilePath(id, filename)}?token=${signUrlToken(claims, services(signingSecret))}`,
      expires_in_seconds: exp - nowInSeconds(),
      expires_at: new Date(exp * 1000),
    }
  },
})

const nowInSeconds = (): number => Math.floor(Date.now() / 1000)

/** Returns the end of a URL in seconds since 1970. It ends with the object. */
const endOf = (seconds: number, objectEnd: Date | null): number =>
  Math.min(
    nowInSeconds() + seconds,
    objectEnd === null ? Number.POSITIVE_INFINITY : Math.floor(objectEnd.getTime() / 1000),
  )

/** Returns the base URL of a host. Throws 400 unless it is the host of files or an active domain of the organisation. */
async function getBase(db: DatabasePool, org: { id: string }, origin: string, host?: string): Promise<string> {
  if (host === undefined || host === filesUrl?.hostname) return getFilesBase(origin)
  const call = { org, origin, body: { host } }
  const base = (await getPlaybackBases(db, [call]))(call)
  if (base instanceof Error) throw base
  return base
}

export const revoke = removeRoute({
  path,
  summary: 'Revoke all signed URLs of an object',
  description:
    'All signed URLs of the object stop working immediately, and downloads in progress end within 5 seconds.',
  scope: 'files:write',
  locks: ['tenant_id'],
  params,
  query: z.object({ tenant_id }),
  reply: { object_id: Id },
  done: 'revoked',
  what: 'object',
  async remove({ params: { id }, query, org, key, actor, requestId, ip, db }) {
    const revoked = await settings.revokeUrls(db, getOwner({ org, key }, query.tenant_id), id)
    if (!revoked) return false
    const act = { action: 'file.urls_revoked', target: id }
    await audit.append(db, { ...actorOfCall({ org, key, actor, requestId, ip }), ...act })
  },
})
