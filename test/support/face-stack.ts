import { documentsStack } from './documents-stack.ts'
import type { Reply, TestScope } from './ingress.ts'
import { frameOf, type Pose } from './selfies.ts'

/** The identity area with workers for documents and faces, and the steps of a person on the page of a face check. */
export async function faceStack(t: TestScope, areas: readonly string[] = []) {
  const stack = await documentsStack(t, areas)
  const { ask } = stack
  const person = (request: string, body?: unknown): Promise<Reply> =>
    ask(request, { key: '', ...(body ? { body } : {}) })

  async function create(idp_sub: string, more: object = {}): Promise<{ id: string; prompt: string; reply: Reply }> {
    const reply = await ask('POST /v1/identity/face-checks', { body: { idp_sub, ...more } })
    return { id: reply.body.id, prompt: new URL(reply.body.prompt_url).pathname, reply }
  }

  async function showDocument(prompt: string, document: Buffer): Promise<Reply> {
    await stack.upload(prompt, document)
    return await stack.complete(prompt)
  }

  return {
    ...stack,
    person,
    create,
    showDocument,
    /** Creates a check, agrees and submits the document. */
    async begun(idp_sub: string, document: Buffer, more: object = {}) {
      const made = await create(idp_sub, more)
      await person(`POST ${made.prompt}`)
      await showDocument(made.prompt, document)
      return made
    },
    checkOf: async (id: string) => (await ask(`GET /v1/identity/face-checks/${id}`)).body,
    challengeOf: async (prompt: string) => (await person(`POST ${prompt}/challenges`)).body as Challenge,
    /** Sends frames. Repeats while the engine loads, as the page does. */
    async selfie(prompt: string, challenge: string | null, frames: readonly Buffer[]): Promise<Reply> {
      const body = { challenge, frames: frames.map((frame) => frame.toString('base64')) }
      for (let tries = 0; ; tries++) {
        const reply = await person(`POST ${prompt}/selfie`, body)
        if (![503, 504].includes(reply.status) || tries === 20) return reply
      }
    },
    startFaces: (environment: Record<string, string> = {}) =>
      stack.base.startWorkers(
        { CLAMD_SOCKET: stack.clamd.socket, ...environment },
        'core,scan,identity,identity-documents',
      ),
  }
}

export interface Challenge {
  challenge: string
  poses: Pose[]
  expires_at: string
}

export const framesOf = (index: number, poses: readonly Pose[]): Promise<Buffer[]> =>
  Promise.all(poses.map((pose) => frameOf(index, pose)))
