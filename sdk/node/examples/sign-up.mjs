/** Passes the guard and spends the token: `node sign-up.mjs <site key>`. */
import { Millrace } from 'millrace'
import { nodeScrypt } from 'millrace/node'

const [siteKey = ''] = process.argv.slice(2)

// What the visitor's device does, with a key that anybody may see.
const visitor = new Millrace({ apiKey: siteKey })
const { token } = await visitor.guardToken('sign-up', { derive: nodeScrypt })

// What your server does before it does anything else.
const server = new Millrace() // from MILLRACE_BASE_URL and MILLRACE_API_KEY
for (const time of ['first', 'second']) {
  const verdict = await server.guard.tokens.verify({ token, action: 'sign-up' })
  console.log(time, verdict.valid ? 'valid' : verdict.reason)
}
