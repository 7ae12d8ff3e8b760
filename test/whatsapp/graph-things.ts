import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Answer, CloudApiServer, Received } from './cloud-api-server.ts'

/** A business number of the server. */
export interface KnownNumber {
  phoneNumberId: string
  accountId: string
  accessToken: string
  /** Secret for checking proofs, if set. */
  appSecret: string | undefined
}

/** A file that a person sent. */
export interface KnownFile {
  bytes: Buffer
  type: string
  sha256?: string
  /** Reported URL of the file. Default: this server. */
  url?: string
}

/** Data of the server other than messages. */
export interface GraphThings {
  numbers: KnownNumber[]
  files: Map<string, KnownFile>
  /** Raw bodies of uploads. */
  uploads: string[]
  /** Responses to the next uploads, in order. */
  nextUpload: Answer[]
  /** Subscribed webhook URLs. */
  subscribed: { override_callback_uri: string; verify_token: string }[]
  subscribeAnswer: Answer | undefined
  /** Responses to the next submitted templates, in order. */
  nextTemplate: Answer[]
  /** Status of accepted templates. */
  templateStatus: string
}

export const graphThings = (...numbers: KnownNumber[]): GraphThings => ({
  numbers,
  files: new Map(),
  uploads: [],
  nextUpload: [],
  subscribed: [],
  subscribeAnswer: undefined,
  nextTemplate: [],
  templateStatus: 'PENDING',
})

function json(response: ServerResponse, status: number, body: unknown): true {
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' }).end(JSON.stringify(body))
  return true
}

const refuse = (response: ServerResponse, code: number, status = 400, more: object = {}): true =>
  json(response, status, { error: { message: 'secret words', type: 'OAuthException', code, ...more } })

/** Responds to all requests except messages and template lists, for which it returns false. */
export function answerGraph(api: CloudApiServer, request: Received, response: ServerResponse): boolean {
  const { method, path, authorization, query } = request
  const things = api.things
  const [, , first = '', second] = path.split('/')
  if (path.startsWith('/files/')) return answerFile(things.files.get(path.split('/')[2] ?? ''), request, response)
  const isList = second === 'message_templates' && method === 'GET'
  if (second === 'messages' || isList) return false
  const mine = things.numbers.filter(({ accessToken }) => authorization === `Bearer ${accessToken}`)
  if (mine.length === 0) return refuse(response, 190, 401)
  const proof = query.get('appsecret_proof')
  const isProved = mine.some(
    ({ accessToken, appSecret }) =>
      appSecret === undefined || createHmac('sha256', appSecret).update(accessToken).digest('hex') === proof,
  )
  if (proof !== null && !isProved) return refuse(response, 100)
  const number = mine.find(({ phoneNumberId }) => phoneNumberId === first)
  if (second === undefined) return number ? facts(number, response) : answerPlace(api, first, response)
  if (second === 'media') return number ? take(api, request, response) : refuse(response, 100, 404)
  return ofAccount(
    api,
    mine.filter(({ accountId }) => accountId === first),
    request,
    response,
  )
}

function ofAccount(
  api: CloudApiServer,
  account: readonly KnownNumber[],
  request: Received,
  response: ServerResponse,
): boolean {
  const second = request.path.split('/')[3]
  if (account.length === 0) return refuse(response, 100, 400, { error_subcode: 33 })
  if (second === 'phone_numbers') {
    return json(response, 200, { data: account.map(({ phoneNumberId: id }) => ({ id })) })
  }
  if (second === 'subscribed_apps') return subscribe(api.things, request, response)
  return second === 'message_templates' && template(api, request, response)
}

const facts = ({ phoneNumberId: id }: KnownNumber, response: ServerResponse) =>
  json(response, 200, { id, display_phone_number: '+1 555 0100', verified_name: 'Shop' })

function answerPlace(api: CloudApiServer, id: string, response: ServerResponse): true {
  const file = api.things.files.get(id)
  if (!file) return refuse(response, 100, 404)
  const { type: mime_type, sha256, bytes, url = `${api.url}/files/${id}` } = file
  return json(response, 200, { id, url, mime_type, file_size: bytes.length, ...(sha256 && { sha256 }) })
}

function answerFile(file: KnownFile | undefined, { authorization }: Received, response: ServerResponse): true {
  if (!file || !authorization?.startsWith('Bearer ')) return refuse(response, 100, 404)
  response.writeHead(200, { 'content-type': file.type }).end(file.bytes)
  return true
}

function take(api: CloudApiServer, request: Received, response: ServerResponse): true {
  const answer = api.things.nextUpload.shift()
  if (answer) {
    answer(request, response)
    return true
  }
  api.things.uploads.push(request.body)
  return json(response, 200, { id: `9${String(api.things.uploads.length).padStart(14, '0')}` })
}

function subscribe(things: GraphThings, request: Received, response: ServerResponse): true {
  if (things.subscribeAnswer) {
    things.subscribeAnswer(request, response)
    return true
  }
  things.subscribed.push(request.body)
  return json(response, 200, { success: true })
}

function template(api: CloudApiServer, request: Received, response: ServerResponse): true {
  const answer = api.things.nextTemplate.shift()
  if (answer) {
    answer(request, response)
    return true
  }
  if (request.method === 'DELETE') {
    const id = request.query.get('hsm_id')
    api.templates = api.templates.filter((one) => !(one instanceof Object && 'id' in one && one.id === id))
    return json(response, 200, { success: true })
  }
  const id = `7${String(api.templates.length + 1).padStart(14, '0')}`
  api.templates.push({ id, status: api.things.templateStatus, ...request.body })
  return json(response, 200, { id, status: api.things.templateStatus, category: request.body.category })
}
