import { z } from 'zod'
import { trimmed, withoutControl } from '#lib/characters.ts'
import { forbidden, notFound } from '#lib/errors.ts'
import type { Caller } from '#sql/account/keys.ts'
import type * as objects from '#sql/files/objects.ts'

/** A name that the client's own side has for something: no control characters, no blanks around it. */
export const Name = z
  .string()
  .min(1)
  .max(200)
  .regex(trimmed, 'must not start or end with a space')
  .regex(withoutControl, 'must not contain control characters')

/** The tenant for which a request is made: an object of another is not found then. */
export const tenant_id = Name.optional().describe(
  'Tenant that the object must belong to. Objects of other tenants return 404.',
)

/** Whose objects a request may reach: the organisation's, or one tenant's if the key is locked to it or the request names it. */
export function ownerOf({ org, key }: Pick<Caller, 'org' | 'key'>, tenantId: string | undefined): objects.Owner {
  const lock = key.locks.tenant_id
  if (lock !== undefined && tenantId !== undefined && tenantId !== lock) throw notFound('object')
  return { orgId: org.id, tenantId: lock ?? tenantId }
}

/** Throws 403 when the key is locked to another tenant than that for which something is to be uploaded. */
export function demandTenant({ key }: Pick<Caller, 'key'>, tenantId: string): void {
  const lock = key.locks.tenant_id
  if (lock !== undefined && lock !== tenantId) throw forbidden('This key is locked to another `tenant_id`.')
}
