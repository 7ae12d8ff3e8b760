/**
 * SIP messages and transactions (RFC 3261): the only module that imports the package `sip` (0.0.6, not maintained since
 * 2020). Other packages on npm are user agents for browsers (`sip.js`, `jssip`) or clients of a separate SIP server
 * (`drachtio-srf`). Faults of the package that its callers work around:
 *
 * - Transports have no 'error' listener, return 404 to clients with their own address, and ignore /etc/hosts. Not used.
 * - Branches have only a million values, and the package replaces the branch of each request (`endpoint.ts`).
 * - The timer of a client transaction stops at the first provisional response (`endpoint.ts`).
 * - The parser accepts messages without mandatory headers (`endpoint.ts`).
 * - A 2xx to an INVITE is not repeated until its ACK arrives (`until-acked.ts`).
 * - Digest authentication supports only MD5, and uses the first challenge (`trunk.ts`).
 * - There are no types (`package.d.ts`).
 */
import sip from 'sip'
import digest from 'sip/digest.js'

export type { Connection, Headers, Request, Response, Uri, Via } from 'sip'

export const parseMessage = sip.parse
export const writeMessage = sip.stringify
export const parseUri = sip.parseUri
export const writeUri = sip.stringifyUri
export const createResponse = sip.makeResponse
export const createTransactions = () => sip.makeTransactionLayer({})
export const signRequest = digest.signRequest
