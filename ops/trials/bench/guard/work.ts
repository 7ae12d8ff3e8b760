/** Measures minting, solving and checking, each by the CPU of a process that does nothing else. */
import { randomBytes, randomInt, scryptSync } from 'node:crypto'
import { randomInt as altchaInt, createChallenge, solveChallenge, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/scrypt'
import { openPool } from '#sql/db.ts'
import type { ChallengeState } from '#sql/guard/challenges.ts'
import * as stock from '#sql/guard/stock.ts'
import { isSolution, presentPuzzles, tierRanges } from '../../../../ingress/guard/work.ts'
import { answerOf, outputsOf, solve } from '../../../../test/guard/solver.ts'
import { createPuzzleMinter } from '../../../../workers/guard/minter.ts'
import { mintPuzzle } from '../../../../workers/guard/puzzle.ts'
import { sendResult } from '../child.ts'

export interface WorkSettings {
  side: 'bare' | 'product' | 'altcha'
  url: string
  seconds: number
}

/** Result. `bare` only mints. */
export interface Work {
  /** Number of puzzles per second of CPU. For altcha-lib, number of challenges. */
  mints: number
  /** CPU time in microseconds to check an answer. */
  check: number
  /** CPU time in milliseconds to solve a challenge. */
  solve: number
  tries: number[]
}

const { side, url, seconds } = JSON.parse(process.argv[2] ?? '{}') as WorkSettings

const samples = 5_000

const cpuSeconds = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** Returns how often `work` can be done per second of CPU. `work` returns the number of times it was done. */
async function rate(work: () => number | Promise<number>, during = seconds): Promise<number> {
  const [begun, end] = [cpuSeconds(), performance.now() + during * 1000]
  let done = 0
  while (performance.now() < end) done += await work()
  return done / (cpuSeconds() - begun)
}

async function milliseconds(work: (i: number) => unknown, times: number): Promise<number> {
  const begun = cpuSeconds()
  for (let i = 0; i < times; i++) await work(i)
  return ((cpuSeconds() - begun) * 1000) / times
}

function bare(): Promise<number> {
  const [password, salt] = [randomBytes(6), randomBytes(16)]
  return rate(() => {
    for (let i = 0; i < 8; i++) scryptSync(password, salt, 32, { N: 1024, r: 8, p: 1 })
    return 1
  })
}

async function minted(): Promise<number> {
  const db = await openPool(url, 1)
  const over = new AbortController()
  const batches = createPuzzleMinter(1).mint(over.signal)[Symbol.asyncIterator]()
  await batches.next()
  const found = await rate(async () => {
    const { value } = await batches.next()
    await stock.insertMany(db, value)
    return value.length
  })
  await batches.return?.()
  await db.end()
  return found
}

async function product(): Promise<Work> {
  const mints = await minted()
  const puzzle = mintPuzzle()
  const range = tierRanges.normal
  const ks = Buffer.from(puzzle.ks, 'base64url')
  const tries = Array.from({ length: samples }, () =>
    presentPuzzles(puzzle, range).reduce((sum, { base }, i) => sum + ((ks.readUInt32BE(4 * i) - base) >>> 0) + 1, 0),
  )
  const given = answerOf(outputsOf(puzzle))
  const challenge = { alg: 'scrypt', answer_hash: puzzle.answer_hash } as ChallengeState
  const check = 1e6 / (await rate(() => manyTimes(() => isSolution(challenge, given)), 1))
  const solved = await milliseconds(
    () => solve({ alg: 'scrypt', nonce: puzzle.nonce, puzzles: presentPuzzles(puzzle, range), range } as never),
    12,
  )
  return { mints, check, solve: solved, tries }
}

function manyTimes(work: () => unknown): number {
  for (let i = 0; i < 1_000; i++) work()
  return 1_000
}

/** Uses altcha-lib with the same function and about as many tries: 8 puzzles of 64 take 260. */
async function altcha(): Promise<Work> {
  const secrets = { hmacSignatureSecret: 'one secret', hmacKeySignatureSecret: 'another secret' }
  const form = { algorithm: 'SCRYPT', cost: 1024, memoryCost: 8, parallelism: 1, deriveKey }
  const most = 8 * (tierRanges.normal + 1)
  const make = (counter = altchaInt(0, most)) => createChallenge({ ...form, ...secrets, counter })
  const mints = await rate(async () => {
    await make()
    return 1
  })
  const challenge = await make(3)
  const solution = await solveChallenge({ challenge, deriveKey })
  if (!solution) throw new Error('altcha-lib found no solution.')
  const verified = await verifySolution({ challenge, solution, deriveKey, ...secrets })
  if (!verified.verified) throw new Error('altcha-lib rejects its own solution.')
  const check =
    1e6 /
    (await rate(async () => {
      for (let i = 0; i < 100; i++) await verifySolution({ challenge, solution, deriveKey, ...secrets })
      return 100
    }, 1))
  const counters = Array.from({ length: 12 }, (_, i) => Math.floor(((i + 0.5) * most) / 12))
  const challenges = await Promise.all(counters.map((counter) => make(counter)))
  const solved = await milliseconds((i) => solveChallenge({ challenge: challenges[i] as never, deriveKey }), 12)
  return { mints, check, solve: solved, tries: Array.from({ length: samples }, () => randomInt(most) + 1) }
}

const sides: Record<WorkSettings['side'], () => Promise<Partial<Work>>> = {
  bare: async () => ({ mints: await bare() }),
  product,
  altcha,
}
sendResult(await sides[side]())
