import { getDefaultPort, type Transport } from './peer.ts'
import { parseUri, type Request, type Response, signRequest, type Uri, writeUri } from './sip/library.ts'

export interface Trunk {
  name: string
  /** URI in the form `sip:host:port`, with the transport unless it is UDP. */
  uri: string
  host: string
  port: number
  transport: Transport
  user: string | undefined
  password: string | undefined
  domain: string
  prefix: string
}

/** Parses `name=sip:user@host:port;prefix=+372;domain=host;transport=tls`, and the passwords by trunk name. */
export function readTrunks(trunks: readonly string[], passwords: readonly string[]): Trunk[] {
  const secrets = new Map(passwords.map(pairOf))
  return trunks.map((text) => {
    const [name, rest] = pairOf(text)
    const [place = '', ...params] = rest.replace(/^sip:/, '').split(';')
    const { prefix = '', domain, transport: named = 'udp' } = Object.fromEntries(params.map(pairOf))
    const transport = named === 'tls' ? 'TLS' : named === 'tcp' ? 'TCP' : 'UDP'
    const [address = '', user] = place.split('@').reverse()
    const [host = '', given = getDefaultPort(transport)] = address.split(':')
    const port = Number(given)
    const by = transport === 'UDP' ? '' : `;transport=${named}`
    const uri = `sip:${host}:${port}${by}`
    const password = secrets.get(name)
    return { name, uri, host, port, transport, user, password, domain: domain ?? host, prefix }
  })
}

const pairOf = (text: string): [string, string] => {
  const at = text.indexOf('=')
  return [text.slice(0, at), text.slice(at + 1)]
}

/**
 * Adds credentials to a request for the challenge of a 401 or 407 (RFC 3261 22). Returns false if there is no password
 * or no supported challenge.
 */
export function sign(request: Request, refused: Response, { user, password }: Trunk): boolean {
  const field = refused.status === 407 ? 'proxy-authenticate' : 'www-authenticate'
  // The package supports only MD5 and uses the first challenge.
  const known = refused.headers[field]?.find(
    ({ scheme = '', algorithm = 'md5' }) => /^digest$/i.test(scheme) && /^"?md5(-sess)?"?$/i.test(algorithm),
  )
  if (!user || password === undefined || !known) return false
  const challenge = { ...refused, headers: { ...refused.headers, [field]: [known] } }
  signRequest({}, request, challenge, { user, password })
  return true
}

/** Returns a URI as a string if it is a SIP URI with a supported transport. */
export function toSipUri(uri: string | Uri | undefined): string | undefined {
  const text = uri === undefined ? undefined : writeUri(uri)
  return text && /^sip:[\x21-\x7e]+$/i.test(text) && parseUri(text) ? text : undefined
}
