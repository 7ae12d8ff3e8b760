import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { getPublicSuffix } from 'tldts'
import { z } from 'zod'

/** Last labels of names that do not exist in the public DNS (RFC 6761, RFC 6762, RFC 7686). */
const nowhere = new Set(['localhost', 'local', 'invalid', 'onion', 'arpa'])

const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/** Leaves room for the label of the verification record (RFC 1035 §2.3.4 allows 253 characters). */
const longest = 230

/** A host name as in DNS and certificates: lower case, international characters as punycode, no dot at its end. */
export const Hostname = z
  .string()
  .max(1000)
  .transform((text, context) => {
    const issue = (message: string) => {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    const given = text.trim().replace(/\.$/, '')
    if (given.startsWith('*.')) return issue('must be one host name, not a wildcard')
    const name = /[\s/@?#:%\\[\]]/.test(given) ? '' : domainToASCII(given)
    if (isIP(name) !== 0) return issue('must be a host name, not an IP address')
    const labels = name.split('.')
    if (name.length > longest || !labels.every((part) => label.test(part))) return issue('must be a host name')
    if (labels.length < 2) return issue('must contain a dot, such as video.example.com')
    const last = labels.at(-1) as string
    if (nowhere.has(last) || /^\d+$/.test(last)) return issue('must be a name in the public DNS')
    // The Public Suffix List, with its private entries. No one owns such a name.
    if (getPublicSuffix(name, { allowPrivateDomains: true }) === name)
      return issue('must be a host in your own domain, not a public suffix')
    return name
  })
