import { filesStack } from './files-stack.ts'
import { type Ask, type Reply, type TestScope, testOrg } from './ingress.ts'

/** The identity area with its gate and storage, and an organisation whose subjects have consented. */
export async function documentsStack(t: TestScope, areas: readonly string[] = []) {
  const stack = await filesStack(t, { areas: ['identity', 'account', 'app', ...areas] })
  const { base } = stack
  const { keys, org } = await testOrg(base.db, ['identity:verify', 'files:write', 'account:webhooks'])
  const ask = (request: string, options: Ask = {}) => base.ingress.ask(request, { key: keys.main, ...options })

  /** Returns the URL of the page that requests a subject’s document. */
  async function promptOf(subject: string): Promise<string> {
    const consent = { idp_sub: subject, requirement: 'identity.consent', status: 'verified' }
    await ask('POST /v1/identity/checks', { body: consent })
    const { body } = await ask(`GET /v1/identity/readiness?idp_sub=${subject}`)
    return new URL(body.next_step.prompt_url).pathname
  }

  /** Uploads an image with a page’s URL, like its JavaScript. */
  async function upload(prompt: string, bytes: Buffer, content_type = 'image/jpeg'): Promise<Reply> {
    const body = { filename: 'document', content_type, byte_size: bytes.length }
    const begun = await ask(`POST ${prompt}/uploads`, { body, key: '' })
    if (begun.status !== 200) return begun
    const { upload_url, upload_headers } = begun.body
    await fetch(upload_url, { method: 'PUT', headers: upload_headers, body: new Uint8Array(bytes) })
    return begun
  }

  return {
    ...stack,
    orgId: org.id,
    ask,
    promptOf,
    upload,
    /** Uploads an image and waits for the result that the person sees. */
    async tried(prompt: string, bytes: Buffer, content_type?: string): Promise<Reply> {
      const begun = await upload(prompt, bytes, content_type)
      if (begun.status !== 200) return begun
      const once = () => ask(`POST ${prompt}/read`, { key: '' })
      let told = await once()
      // On a busy machine, processing an image can take longer than the request waits.
      for (let i = 0; i < 100 && told.body.code === 'waiting'; i++) told = await once()
      return told
    },
    complete: (prompt: string) => ask(`POST ${prompt}/complete`, { key: '' }),
    documentOf: (subject: string, key?: string) =>
      ask(`GET /v1/identity/document?idp_sub=${subject}`, key === undefined ? {} : { key }),
    startReaders: (environment: Record<string, string> = {}) =>
      base.startWorkers({ CLAMD_SOCKET: stack.clamd.socket, ...environment }, 'core,scan,identity-documents'),
  }
}
