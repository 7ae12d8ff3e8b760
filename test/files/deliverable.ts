import { hash } from 'node:crypto'
import { create as createKey } from '#sql/account/keys.ts'
import { foundClean } from '../support/found-clean.ts'
import { type Reply, testOrg } from '../support/ingress.ts'
import type { VideoStack } from '../support/video-stack.ts'

export interface Facts {
  filename?: string
  content_type?: string
  visibility?: string
  /** The type that a scan would detect. */
  type?: string | null
}

export interface Publisher {
  orgId: string
  key: string
  ask(request: string, body?: unknown): Promise<Reply>
  /** Stores a clean object without scanning it. Returns its ID. */
  store(bytes: Uint8Array | string, facts?: Facts): Promise<string>
  /** Stores a clean version of an object. Returns the ID of the version. */
  replace(id: string, bytes: Uint8Array | string, facts?: Facts): Promise<string>
  show(id: string, visibility: string): Promise<Reply>
  sign(id: string, body?: object): Promise<string>
}

const scopes = ['files:read', 'files:write']

/** Creates an organisation, or uses one, that stores files without scans, so that a test needs no workers. */
export async function publisher({ ingress, db, store }: VideoStack, given?: string): Promise<Publisher> {
  const orgId = given ?? (await testOrg(db)).org.id
  const { secret: key } = await createKey(db, { orgId, prefix: 'bt_live_', name: 'publisher', scopes })
  const ask = (request: string, body?: unknown) => ingress.ask(request, { key, ...(body !== undefined && { body }) })
  const must = async (request: string, body: unknown) => {
    const reply = await ask(request, body)
    if (reply.status >= 300) throw new Error(`${request} ${reply.status} ${reply.text}`)
    return reply
  }
  async function judged(id: string, bytes: Uint8Array | string, type: string | null): Promise<string> {
    await store.storage.put(id, Buffer.from(bytes), { contentType: 'application/octet-stream' })
    const sha256 = hash('sha256', bytes, 'hex')
    await db.transaction((tx) => foundClean(tx, { id, orgId, sha256, type }))
    return id
  }
  return {
    orgId,
    key,
    ask,
    async store(bytes, { type = null, ...facts } = {}) {
      const body = {
        product_key: 'shop',
        tenant_id: 'acme',
        filename: 'note.txt',
        content_type: 'text/plain',
        ...facts,
      }
      const { object_id } = (await must('POST /v1/files/uploads', { ...body, byte_size: Buffer.byteLength(bytes) }))
        .body
      return await judged(object_id, bytes, type)
    },
    async replace(id, bytes, { type = null, ...facts } = {}) {
      const body = { content_type: 'text/plain', byte_size: Buffer.byteLength(bytes), ...facts }
      const { object_id } = (await must(`POST /v1/files/objects/${id}/versions`, body)).body
      return await judged(object_id, bytes, type)
    },
    show: async (id, visibility) => await must(`PATCH /v1/files/objects/${id}`, { visibility }),
    sign: async (id, body = {}) => (await must(`POST /v1/files/objects/${id}/signed-urls`, body)).body.url,
  }
}
