import { findCounter, sha256 } from './sha256.js'

export const bytesOf = (text) =>
  Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0))

export const textOf = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/={1,2}$/, '')

/** Returns the URL of a package’s file. The server provides it next to this file. */
const beside = (name) => new URL(name, import.meta.url).href

/** Returns hash-wasm’s scrypt, or @noble/hashes if the page’s policy forbids WebAssembly. */
async function loadScrypt({ n, r, p, key_length }) {
  try {
    await import(beside('hash-wasm.js'))
    const { scrypt } = globalThis.hashwasm
    const given = { costFactor: n, blockSize: r, parallelism: p, hashLength: key_length, outputType: 'binary' }
    const derive = (password, salt) => scrypt({ ...given, password, salt })
    await derive(new Uint8Array(6), new Uint8Array(16))
    return derive
  } catch {
    const { scrypt } = await import(beside('scrypt.js'))
    return (password, salt) => scrypt(password, salt, { N: n, r, p, dkLen: key_length })
  }
}

/**
 * Returns a function that tries some candidates of a puzzle. The function returns the derived key or the counter’s four
 * bytes, or undefined if no candidate is right.
 */
export async function makeTrial(challenge) {
  const nonce = bytesOf(challenge.nonce)
  if (challenge.alg === 'sha256') {
    return ({ index, from, count }) => {
      const counter = findCounter({ nonce, bits: challenge.bits }, index, from, count)
      return counter === undefined ? undefined : quad(counter)
    }
  }
  const derive = await loadScrypt(challenge)
  const puzzles = challenge.puzzles.map(({ check, base }) => ({ check: bytesOf(check), base }))
  return async ({ index, from, count }) => {
    const { check, base } = puzzles[index]
    for (let k = from; k < from + count; k++) {
      const out = await derive(Uint8Array.of(index >>> 8, index & 255, ...quad(base + k)), nonce)
      if (check.every((byte, i) => out[i] === byte)) return out
    }
    return undefined
  }
}

const quad = (n) => Uint8Array.of(n >>> 24, n >>> 16, n >>> 8, n)

/**
 * Returns the order in which workers try candidates. Each worker takes the next part of the puzzle with the fewest
 * workers. Workers share a puzzle only if no other is free.
 */
export function makePlan({ alg, puzzles, count, range, bits }) {
  const [length, end, step] = alg === 'sha256' ? [count, 2 ** 32, 2 ** 15] : [puzzles.length, range, 8]
  /** Expected number of candidates until the solution. It is used for the progress. */
  const usual = alg === 'sha256' ? 2 ** bits : range
  /** @type {{ index: number, next: number, tried: number, active: number, found?: Uint8Array }[]} */
  const all = Array.from({ length }, (_, index) => ({ index, next: 0, tried: 0, active: 0 }))

  return {
    /** Returns the next part, or undefined if all candidates are tried or in progress. */
    take() {
      const open = all.filter(({ found, next }) => !found && next < end)
      const chosen = open.sort((one, other) => one.active - other.active)[0]
      if (!chosen) return undefined
      const part = { index: chosen.index, from: chosen.next, count: Math.min(step, end - chosen.next) }
      chosen.next += part.count
      chosen.active++
      return part
    },
    record({ index, count }, found) {
      const puzzle = all[index]
      puzzle.active--
      puzzle.tried += count
      puzzle.found ??= found
    },
    /** Makes a part available again after its worker failed. */
    giveBack({ index, from }) {
      const puzzle = all[index]
      puzzle.active--
      puzzle.next = Math.min(puzzle.next, from)
    },
    isSolved: () => all.every(({ found }) => found),
    /** Returns the progress from 0 to 1. It never decreases. */
    progress() {
      const done = all.map(({ found, tried }) => (found ? 1 : Math.min(0.9, tried / usual)))
      return done.reduce((sum, part) => sum + part, 0) / length
    },
    answer() {
      const begin = alg === 'sha256' ? 0 : 4
      const joined = Uint8Array.from(all.flatMap(({ found = [] }) => [...found.slice(begin)]))
      return textOf(alg === 'sha256' ? joined : sha256(joined))
    },
  }
}
