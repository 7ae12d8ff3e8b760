import { createHmac } from 'node:crypto'
import { CloudApiError, type Credentials, type NumberCheck } from '#tasks/whatsapp/engine.ts'
import { NumberFacts, NumberPage } from './answer-forms.ts'
import type { Graph } from './graph.ts'

const mostPages = 20

/** Returns the HMAC of the token with the app secret, which proves that the caller is the app. */
export const createProof = (accessToken: string, appSecret: string): string =>
  createHmac('sha256', appSecret).update(accessToken).digest('hex')

/** Checks the credentials of a number one after another, so that the invalid one can be named. */
export async function checkNumber(
  graph: Graph,
  { phoneNumberId, accountId, accessToken, appSecret }: { [Name in keyof Credentials]-?: string },
  signal: AbortSignal,
): Promise<NumberCheck> {
  const about = { token: accessToken }
  const number = await catchRejection(
    graph.ask({ ...about, path: `${phoneNumberId}?fields=id,display_phone_number,verified_name` }, NumberFacts, signal),
  )
  if (number instanceof CloudApiError) {
    if (isToken(number)) return { fault: 'access_token', issue: 'was rejected by WhatsApp' }
    return { fault: 'phone_number_id', issue: 'must be a business number that the token can use' }
  }
  const proof = createProof(accessToken, appSecret)
  const proved = await catchRejection(
    graph.ask({ ...about, path: `${phoneNumberId}?fields=id&appsecret_proof=${proof}` }, NumberFacts, signal),
  )
  if (proved instanceof CloudApiError) return { fault: 'app_secret', issue: 'must belong to the app of the token' }
  if (await hasNumber(graph, { accountId, phoneNumberId, token: accessToken, proof }, signal)) {
    return { displayPhone: number.display_phone_number ?? null, verifiedName: number.verified_name ?? null }
  }
  return { fault: 'business_account_id', issue: 'must be a business account of the token that has this number' }
}

async function hasNumber(
  graph: Graph,
  asked: { accountId: string; phoneNumberId: string; token: string; proof: string },
  signal: AbortSignal,
): Promise<boolean> {
  const { accountId, phoneNumberId, token, proof } = asked
  let after: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const query = new URLSearchParams({ fields: 'id', limit: '100', appsecret_proof: proof, ...(after && { after }) })
    const numbers = await catchRejection(
      graph.ask({ token, path: `${accountId}/phone_numbers?${query}` }, NumberPage, signal),
    )
    if (numbers instanceof CloudApiError) return false
    if (numbers.data.some(({ id }) => id === phoneNumberId)) return true
    after = numbers.paging?.next ? numbers.paging.cursors?.after : undefined
    if (after === undefined) return false
  }
  return false
}

/** Codes 190 and 3 to 299 concern the token and its permissions. */
const isToken = ({ code, httpStatus }: CloudApiError) => code === 190 || code === 0 || httpStatus === 401

/** Returns the response or Meta's rejection. Throws if neither arrives. */
async function catchRejection<T>(asked: Promise<T>): Promise<T | CloudApiError> {
  try {
    return await asked
  } catch (error) {
    const refused =
      error instanceof CloudApiError &&
      error.outcome === 'refused' &&
      error.httpStatus !== null &&
      error.httpStatus < 500 &&
      error.httpStatus !== 429
    if (!refused) throw error
    return error
  }
}
