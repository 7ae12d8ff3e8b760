import { type DatabasePool, sql } from '#sql/db.ts'
import * as stock from '#sql/guard/stock.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { mintPuzzle } from '../../workers/guard/puzzle.ts'
import { testDatabase } from '../support/database.ts'
import { type Ask, type Reply, type TestIngress, type TestScope, testIngress, testOrg } from '../support/ingress.ts'
import { answerOf, type Challenge, outputsOf } from './solver.ts'

/** The page that visitors of the tests come from. */
export const page = 'https://shop.example.com'

/** A site of the tests, and its visitors. */
export interface TestSite {
  id: string
  key: string
  /** Sends a request with the site key, from the page unless `headers` say other. */
  visit(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>
}

/** The guard area: database, ingress, an organisation with a server key, and sites. */
export interface GuardStack {
  db: DatabasePool
  databaseUrl: string
  ingress: TestIngress
  key: string
  ask(request: string, options?: Ask): Promise<Reply>
  site(policy?: Record<string, unknown>, key?: string): Promise<TestSite>
  /** Puts puzzles into the stock, none like the one before it, whose answers cost no work. */
  stock(count: number): Promise<void>
  /** The outputs of a challenge's puzzle, one of those; with another salt, of its numbers with that. */
  outputs(challenge: Pick<Challenge, 'nonce'>, salt?: string): Buffer[]
  /** The answer to a challenge with one of those puzzles. */
  answer(challenge: Pick<Challenge, 'nonce'>): string
  verify(token: string, action?: string, more?: Record<string, unknown>): Promise<Reply>
  /** Moves a challenge's or token's end into the past. */
  expire(table: 'challenges' | 'tokens', id?: string): Promise<void>
}

export const guardScopes = ['guard:manage', 'guard:verify']

/** Starts it, with more areas than its own where a test needs them. */
export async function guardStack(t: TestScope, areas: readonly string[] = []): Promise<GuardStack> {
  const { url: databaseUrl, db } = await testDatabase(t)
  return await guardStackOn(t, { databaseUrl, db }, areas)
}

/** The same on a database of the test's own. */
export async function guardStackOn(
  t: TestScope,
  { databaseUrl, db }: Pick<GuardStack, 'databaseUrl' | 'db'>,
  areas: readonly string[] = [],
): Promise<GuardStack> {
  const ingress = await testIngress(t, db, [], {
    only: ['guard', 'console', ...areas],
    services: [provide(signingSecret, 's'.repeat(32))],
    trustedProxies: ['127.0.0.1'],
  })
  const { keys } = await testOrg(db, guardScopes)
  const puzzles = Array.from({ length: 4 }, mintPuzzle)
  const outputs: GuardStack['outputs'] = ({ nonce }, salt) => {
    const puzzle = puzzles.find((one) => one.nonce === nonce)
    if (!puzzle) throw new Error('The challenge is made of no puzzle that the test knows.')
    return outputsOf(puzzle, salt)
  }
  let turn = 0
  const ask: GuardStack['ask'] = (request, options) => ingress.ask(request, { key: keys.main, ...options })
  return {
    db,
    databaseUrl,
    ingress,
    key: keys.main,
    ask,
    async site(policy = {}, key = keys.main) {
      const body = { name: 'Shop', origins: [page], policy: { min_tier: 'low', ...policy } }
      const made = await ask('POST /v1/guard/sites', { key, body })
      if (made.status !== 201) throw new Error(made.text)
      const { id, site_key } = made.body
      const visit: TestSite['visit'] = (path, body, headers = {}) =>
        ask(`POST /v1/guard/${path}`, { key: site_key, body, headers: { origin: page, ...headers } })
      return { id, key: site_key, visit }
    },
    async stock(count) {
      await stock.insertMany(
        db,
        Array.from({ length: count }, () => puzzles[turn++ % puzzles.length] as stock.NewPuzzle),
      )
    },
    outputs,
    answer: (challenge) => answerOf(outputs(challenge)),
    verify: (token, action = 'signup', more = {}) =>
      ask('POST /v1/guard/tokens/verify', { body: { token, action, ...more } }),
    async expire(table, id) {
      const column = table === 'challenges' ? sql.fragment`id::text` : sql.fragment`hash`
      await db.query(sql.typeAlias('void')`
        update ${sql.identifier(['guard', table])} set expires_at = now() - interval '1 second'
        where ${id ?? null}::text is null or ${column} = ${id ?? null}`)
    },
  }
}
