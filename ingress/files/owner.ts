import { z } from 'zod'
import { trimmed, withoutControl } from '#lib/characters.ts'
import { forbidden, notFound } from '#lib/errors.ts'
import type { Caller } from '#sql/account/keys.ts'
import type * as objects from '#sql/files/objects.ts'

/** Schema of a name from a client. It cannot contain control characters, or spaces at its start and end. */
export const Name = z
  .string()
  .min(1)
  .max(200)
  .regex(trimmed, 'must not start or end with a space')
  .regex(withoutControl, 'must not contain control characters')

export const tenant_id = Name.optional().describe(
  'Tenant that the object must belong to. Objects of other tenants return `404`.',
)

/**
 * Returns the owner of a request's files. If the key is locked to a tenant or the request names one, the owner is the
 * tenant. Otherwise it is the organisation.
 */
export function getOwner({ org, key }: Pick<Caller, 'org' | 'key'>, tenantId: string | undefined): objects.Owner {
  const lock = key.locks.tenant_id
  if (lock !== undefined && tenantId !== undefined && tenantId !== lock) throw notFound('object')
  return { orgId: org.id, tenantId: lock ?? tenantId }
}

/** Throws 403 if the key is locked to another tenant. */
export function requireTenant({ key }: Pick<Caller, 'key'>, tenantId: string): void {
  const lock = key.locks.tenant_id
  if (lock !== undefined && lock !== tenantId) throw forbidden('This key is locked to a different `tenant_id`.')
}
