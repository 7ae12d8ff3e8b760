import OpenAI from 'openai'
import { readConfig } from '#lib/config.ts'
import { newId } from '#lib/ids.ts'
import type { LanguageEngine } from '#tasks/ai/engine.ts'
import { reportUpstreams } from '#tasks/ai/rules/report-upstreams.ts'
import { createEngineForServers } from '../../workers/llm/engine.ts'
import { createServer } from '../../workers/llm/upstream/connection.ts'
import { listUpstreams } from '../../workers/llm/upstream/settings.ts'
import { getServerStates } from '../../workers/llm/upstream/states.ts'
import { type TestScope, testOrg } from '../support/ingress.ts'
import { type ModelServer, modelServer } from '../support/model-server.ts'
import { type AiStack, aiStack } from './stack.ts'

/** The gateway with two test servers, `main` and `backup`. */
export interface GatewayStack extends AiStack {
  main: ModelServer
  backup: ModelServer
  /** OpenAI's SDK with our base URL and an organisation's key. */
  sdk: OpenAI
  sdkOf(key: string): OpenAI
  /** Returns a key of a new organisation. */
  newKey(scopes?: string[]): Promise<string>
  /** Replaces the engine, which forgets earlier failures of its upstream servers. */
  renew(more?: Record<string, string>): Promise<void>
}

export async function gatewayStack(t: TestScope): Promise<GatewayStack> {
  const [main, backup] = await Promise.all([modelServer(t), modelServer(t)])
  const settings = {
    AI_ENGINE: 'upstream',
    AI_BASE_URL: main.url,
    AI_API_KEY: 'key of main',
    AI_MODEL: 'the-model',
    AI_MODELS: 'gpt-4o=the-model',
    AI_EMBEDDING_MODELS: 'text-embedding-3-small=bge-m3',
    AI_UPSTREAMS: JSON.stringify([
      { name: 'backup', base_url: backup.url, models: ['other-model', 'the-model'], embedding_models: ['bge-m3'] },
    ]),
    AI_UPSTREAM_CREDENTIALS: 'backup=key of backup',
    AI_TIMEOUT_MS: '5000',
    AI_RETRIES: '0',
    LLM_CONCURRENCY: '8',
  }
  const open = (more: Record<string, string> = {}) => {
    const config = readConfig({ ...settings, ...more })
    const servers = config.AI_ENGINE === 'upstream' ? listUpstreams(config).map(createServer) : []
    return { servers, engine: createEngineForServers(config, servers) }
  }
  const current = { ...open(), end: async () => {} }
  const llm: LanguageEngine = {
    ...current.engine,
    seat: (orgId) => (current.engine.seat ? current.engine.seat(orgId) : { engine: current.engine, leave() {} }),
  }
  const stack = await aiStack(t, llm, ['account', 'app'])
  const sdkOf = (key: string) => new OpenAI({ baseURL: `${stack.ingress.url}/v1/ai`, apiKey: key, maxRetries: 0 })
  const renew = async (more: Record<string, string> = {}) => {
    await current.end()
    Object.assign(current, open(more))
    current.end = await reportUpstreams(stack.db, newId(), () => getServerStates(current.servers))
    for (const server of [main, backup]) Object.assign(server, { asked: [], answer: undefined })
  }
  await renew()
  t.teardown(() => current.end())
  return {
    ...stack,
    main,
    backup,
    sdk: sdkOf(stack.key),
    sdkOf,
    newKey: async (scopes = ['ai:invoke']) => (await testOrg(stack.db, scopes)).keys.main,
    renew,
  }
}
