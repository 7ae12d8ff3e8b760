import * as keys from '#sql/account/keys.ts'
import type { Ask, Reply } from './ingress.ts'
import type { VideoStack } from './video-stack.ts'

export interface Facts {
  filename?: string
  content_type?: string
  tenant_id?: string
  product_key?: string
  checksum_sha256?: string
}

export interface StartedUpload {
  object_id: string
  upload_url: string
  upload_headers: Record<string, string>
}

export interface FilesClient {
  /** Default facts of an upload. */
  facts: Required<Omit<Facts, 'checksum_sha256'>>
  ask(request: string, options?: Ask): Promise<Reply>
  start(bytes: Uint8Array | string, facts?: Facts, key?: string): Promise<StartedUpload>
  /** Creates a key that is restricted to one tenant’s objects. */
  lockedKey(orgId: string, tenant: string, scopes: string[]): Promise<string>
}

export function testClient({ ingress, db }: VideoStack, key: string): FilesClient {
  const facts = { product_key: 'crm', tenant_id: 'acme', filename: 'note.txt', content_type: 'text/plain' }
  const ask: FilesClient['ask'] = (request, options = {}) => ingress.ask(request, { key, ...options })
  return {
    facts,
    ask,
    async start(bytes, more, as = key) {
      const body = { ...facts, byte_size: Buffer.byteLength(bytes), ...more }
      const reply = await ask('POST /v1/files/uploads', { key: as, body })
      if (reply.status !== 200) throw new Error(`uploads: ${reply.status} ${reply.text}`)
      return reply.body
    },
    async lockedKey(orgId, tenant, scopes) {
      const wanted = { orgId, prefix: 'bt_live_' as const, name: tenant, scopes, locks: { tenant_id: tenant } }
      return (await keys.create(db, wanted)).secret
    },
  }
}
