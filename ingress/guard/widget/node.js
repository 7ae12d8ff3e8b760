/**
 * Solver for Node 20 and newer, in one file without dependencies. Use it to let your own clients pass the guard. They
 * do the same work as a browser.
 *
 * import { getToken } from './node.js'
 * const { token } = await getToken({ api: 'https://api.example.com', sitekey: 'bt_site_…', action: 'sign-up' })
 */
import { createHash, scrypt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

// The asynchronous scrypt runs several calls at the same time on libuv’s threads.
const derive = promisify(scrypt)

const message = (index, number) => {
  const bytes = Buffer.alloc(6)
  bytes.writeUInt16BE(index)
  bytes.writeUInt32BE(number >>> 0, 2)
  return bytes
}

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()

async function solveScrypt({ nonce, n, r, p, key_length, puzzles, range }) {
  const salt = Buffer.from(nonce, 'base64url')
  const find = async ({ check, base }, index) => {
    const wanted = Buffer.from(check, 'base64url')
    for (let k = 0; k < range; k++) {
      const key = await derive(message(index, base + k), salt, key_length, { N: n, r, p })
      if (key.subarray(0, wanted.length).equals(wanted)) return key.subarray(wanted.length)
    }
    throw new Error('The challenge has no solution.')
  }
  return sha256(...(await Promise.all(puzzles.map(find))))
}

function solveSha256({ nonce, count, bits }) {
  const prefix = Buffer.from(nonce, 'base64url')
  const find = (_, index) => {
    for (let counter = 0; counter < 2 ** 32; counter++) {
      const tried = message(index, counter)
      if (Math.clz32(sha256(prefix, tried).readUInt32BE()) >= bits) return tried.subarray(2)
    }
    throw new Error('The challenge has no solution.')
  }
  return Buffer.concat(Array.from({ length: count }, find))
}

export async function solve(challenge) {
  const answer = challenge.alg === 'sha256' ? solveSha256(challenge) : await solveScrypt(challenge)
  return answer.toString('base64url')
}

/**
 * Gets a token for an action with the site’s public key. Retries while no challenge is available (503). If the API
 * returns another error, throws it with its code.
 */
export async function getToken({ api, sitekey, action, alg, signal }) {
  const post = async (path, body, tries = 5) => {
    const headers = { authorization: `Bearer ${sitekey}`, 'content-type': 'application/json' }
    const reply = await fetch(`${api}/v1/guard${path}`, { method: 'POST', headers, body: JSON.stringify(body), signal })
    if (reply.status === 503 && tries > 1) {
      await pause(1_000 * Number(reply.headers.get('retry-after') ?? 1), undefined, { signal })
      return await post(path, body, tries - 1)
    }
    const answer = await reply.json()
    if (!reply.ok)
      throw Object.assign(new Error(answer.error.message), { status: reply.status, code: answer.error.code })
    return answer
  }
  const challenge = await post('/challenges', { action, ...(alg && { alg }) })
  const begun = performance.now()
  const answer = await solve(challenge)
  const solveMs = Math.round(performance.now() - begun)
  return { ...(await post(`/challenges/${challenge.id}/complete`, { answer })), alg: challenge.alg, solveMs }
}
