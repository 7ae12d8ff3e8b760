import { resolve } from 'node:dns/promises'
import type { DKIMResult } from 'mailauth'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import type { Db } from '#sql/db.ts'
import * as publishedKeys from '#sql/email/delivery/published-keys.ts'

export interface Signature {
  /** RFC 8601 §2.7.1. */
  result: string
  /** Reason for the result if the result is not `pass`. */
  comment: string | null
  algorithm: string
  domain: string
  selector: string
  /** True if the domain is aligned with the domain of From for DMARC (RFC 7489 §3.1.1). */
  aligned: boolean
  covers: string[]
}

/** The authentication results of a receiver, as far as they can be determined here. */
export interface Authentication {
  dkim: Signature[]
  spf: { result: 'none'; comment: string }
  dmarc: { result: 'pass' | 'fail'; comment: string }
}

/** Looks up DNS records. Records that Millrace would publish for its domains take precedence. */
export type Resolve = (name: string, type: string) => Promise<string[][] | string[]>

export const databaseFirst =
  (database: () => Promise<Db> | undefined): Resolve =>
  async (name, type) => {
    const [selector, domain] = name.toLowerCase().split('._domainkey.', 2)
    const db = type === 'TXT' && selector && domain ? await database() : undefined
    const [key] = db && selector && domain ? await publishedKeys.find(db, domain, selector) : []
    if (key) return [[`v=DKIM1; k=${key.algorithm.split('-')[0]}; p=${key.public_key}`]]
    return (await resolve(name, type)) as string[][] | string[]
  }

/** Verifies a message’s signatures. SPF checks the sending address, which has no meaning on loopback. */
export async function authenticate(source: Buffer, resolver: Resolve): Promise<Authentication> {
  const { results } = await dkimVerify(source, { resolver })
  const dkim = results.filter(({ status }) => status.result !== 'none').map(signature)
  const passed = dkim.find(({ result, aligned }) => result === 'pass' && aligned)
  return {
    dkim,
    spf: { result: 'none', comment: 'The message was sent from this machine, so SPF does not apply.' },
    dmarc: passed
      ? { result: 'pass', comment: `The signature of ${passed.domain} is valid and aligned with From.` }
      : { result: 'fail', comment: 'No valid signature is aligned with From.' },
  }
}

function signature({ status, algo, signingDomain, selector, signingHeaders }: DKIMResult): Signature {
  const { aligned } = status as { aligned?: unknown }
  return {
    result: status.result,
    comment: status.comment ?? null,
    algorithm: algo ?? '',
    domain: signingDomain ?? '',
    selector: selector ?? '',
    aligned: Boolean(aligned),
    covers: signingHeaders?.keys.split(':').map((name) => name.trim()) ?? [],
  }
}
