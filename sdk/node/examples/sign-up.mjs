/** Passes the guard and uses the token: `node sign-up.mjs <site key>`. */
import { Millrace } from 'millrace'
import { nodeScrypt } from 'millrace/node'

const [siteKey = ''] = process.argv.slice(2)

// Visitor side, with a public key.
const visitor = new Millrace({ apiKey: siteKey })
const { token } = await visitor.guardToken('sign-up', { derive: nodeScrypt })

// Server side, before any other work.
const server = new Millrace() // from MILLRACE_BASE_URL and MILLRACE_API_KEY
for (const time of ['first', 'second']) {
  const verdict = await server.guard.tokens.verify({ token, action: 'sign-up' })
  console.log(time, verdict.valid ? 'valid' : verdict.reason)
}
