import { chmod } from 'node:fs/promises'
import { type TestClamd, testClamd } from './clamd.ts'
import { type Facts, type FilesClient, type StartedUpload, testClient } from './files-client.ts'
import { type Reply, type TestScope, testOrg } from './ingress.ts'
import { until } from './until.ts'
import { type StackOptions, type VideoStack, videoStack, type Workers } from './video-stack.ts'

export interface FilesStack extends Pick<FilesClient, 'ask' | 'start'> {
  base: VideoStack
  clamd: TestClamd
  key: string
  startWorkers(environment?: Record<string, string>): Promise<Workers>
  /** Uploads and completes a file. Returns the response of `complete`. */
  send(bytes: Uint8Array | string, facts?: Facts, key?: string): Promise<Reply>
  /** Waits until an object’s scan has ended. Returns its metadata. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field of an object.
  settled(objectId: string): Promise<any>
  download(objectId: string): Promise<{ asked: Reply; got: Response | undefined; bytes: Buffer | undefined }>
}

const open = ['awaiting_upload', 'pending', 'scanning']

/** Starts everything except the workers, until the test ends. */
export async function filesStack(
  t: TestScope,
  { plan = 'unlimited', areas = [], store }: Omit<StackOptions, 'database'> = {},
): Promise<FilesStack> {
  const [base, clamd] = await Promise.all([
    videoStack(t, { areas: ['files', ...areas], ...(store && { store }) }),
    testClamd(t),
  ])
  // Like most data folders: clamd can be another user.
  await chmod(base.data, 0o711)
  const { keys } = await testOrg(base.db, ['files:read', 'files:write'], { plan })
  const { ask, start } = testClient(base, keys.main)
  return {
    base,
    clamd,
    key: keys.main,
    ask,
    startWorkers: (environment = {}) => base.startWorkers({ CLAMD_SOCKET: clamd.socket, ...environment }, 'core,scan'),
    start,
    async send(bytes, facts, key = keys.main) {
      const upload = await start(bytes, facts, key)
      await put(upload, bytes)
      return await ask(`POST /v1/files/uploads/${upload.object_id}/complete`, { key, body: {} })
    },
    async settled(objectId) {
      return await until(
        async () => {
          const { body } = await ask(`GET /v1/files/objects/${objectId}`)
          return open.includes(body.scan_status) ? false : body
        },
        { timeout: 60_000, what: `the scan of ${objectId} ends` },
      )
    },
    async download(objectId) {
      const asked = await ask(`POST /v1/files/objects/${objectId}/download-url`, { body: {} })
      if (asked.status !== 200) return { asked, got: undefined, bytes: undefined }
      const got = await fetch(asked.body.download_url)
      return { asked, got, bytes: Buffer.from(await got.arrayBuffer()) }
    },
  }
}

/** PUTs bytes to an upload’s URL. Throws if the store rejects them. */
export async function put(
  { upload_url, upload_headers }: StartedUpload,
  bytes: Uint8Array | string,
  headers: Record<string, string> = {},
): Promise<void> {
  const answer = await tryPut(upload_url, bytes, { ...upload_headers, ...headers })
  if (answer.status !== 200) throw new Error(`PUT: ${answer.status} ${await answer.text()}`)
}

/** PUTs bytes to a URL, regardless of the result. */
export const tryPut = (url: string, bytes: Uint8Array | string, headers: Record<string, string>): Promise<Response> =>
  fetch(url, { method: 'PUT', body: bytes as RequestInit['body'] & {}, headers })
