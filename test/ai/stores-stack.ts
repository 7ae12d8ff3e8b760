import { chmod } from 'node:fs/promises'
import OpenAI from 'openai'
import { testClamd } from '../support/clamd.ts'
import { type Ask, type Reply, type TestScope, testOrg } from '../support/ingress.ts'
import { type VideoStack, videoStack, type Workers } from '../support/video-stack.ts'

const storeScopes = ['ai:write', 'files:read', 'files:write']

/** The areas ai and files with a store, a scanner and two organisations. */
export interface StoresStack {
  base: VideoStack
  orgId: string
  key: string
  otherKey: string
  sdk: OpenAI
  ask(request: string, options?: Ask): Promise<Reply>
  startWorkers(pools?: string): Promise<Workers>
}

export async function storesStack(t: TestScope): Promise<StoresStack> {
  const [base, clamd] = await Promise.all([videoStack(t, { areas: ['files', 'ai'] }), testClamd(t)])
  // Like most data folders: clamd can be another user.
  await chmod(base.data, 0o711)
  const [owner, other] = await Promise.all([
    testOrg(base.db, storeScopes, { plan: 'unlimited' }),
    testOrg(base.db, storeScopes, { plan: 'unlimited' }),
  ])
  const key = owner.keys.main
  return {
    base,
    orgId: owner.org.id,
    key,
    otherKey: other.keys.main,
    sdk: new OpenAI({ baseURL: `${base.ingress.url}/v1/ai`, apiKey: key, maxRetries: 0 }),
    ask: (request, options) => base.ingress.ask(request, { key, ...options }),
    startWorkers: (pools = 'core,scan,web') => base.startWorkers({ CLAMD_SOCKET: clamd.socket }, pools),
  }
}
