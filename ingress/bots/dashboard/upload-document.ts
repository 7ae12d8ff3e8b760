import { z } from 'zod'
import { badRequest, type Fault, notFound, Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { dashboardCaller } from '#sql/account/keys/dashboard-key.ts'
import * as bots from '#sql/bots/bots.ts'
import * as objects from '#sql/files/objects.ts'
import { getPageScopes } from '#tasks/account/rules/roles.ts'
import { awaitVerdict } from '#tasks/files/rules/await-verdict.ts'
import { recordUpload, signUpload } from '#tasks/files/rules/take-in.ts'
import { mostBytes } from '#tasks/sources/rules/read-object.ts'
import { getPublicBase } from '#tasks/video/rules/open-url.ts'
import { formPage, type Outcome, type PageCall } from '../../http/dashboard/page.ts'
import { parseForm, textField, textOf } from '../../http/html/form.ts'
import { amountOf } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { ChosenFile, sessionPart, uploadForm } from '../../http/html/upload-form.ts'
import { mustFind } from '../../http/must-find.ts'
import { signingSecret, stopping, storage } from '../../http/services.ts'
import { createUploadGrant, issueUploadToken } from '../../http/upload-tokens.ts'
import { create } from '../sources.ts'
import { ofBot, pathOf, section } from './section.ts'

/** Product and tenant of the files of bots. */
const place = { product_key: 'bots', tenant_id: 'dashboard' }

/** How often a request waits for the scan of the file. Each wait takes up to 2.5 seconds. */
const waits = 4

const accept = '.pdf,.docx,.html,.htm,.md,.txt,application/pdf,text/plain,text/markdown,text/html'

type Call = Pick<PageCall<z.output<typeof ofBot>, unknown>, 'db' | 'member' | 'services' | 'host' | 'ask'>

const text = z.string().max(200).default('')

/**
 * Uploads a file from the browser to the storage, and then adds it to the bot. The page sends the form twice: first to
 * start the upload, then with the `object_id` of the uploaded file.
 */
export const { show: askForDocument, submit: takeDocument } = formPage({
  path: '/bots/{bot_id}/documents/upload',
  summary: 'Upload a file for a bot',
  section,
  permission: 'areas:write',
  params: ofBot,
  fields: z.object({ bytes: text, filename: z.string().default(''), type: text, title: text, object_id: text }),
  async view({ db, member, services, host, params: { bot_id }, filled, fault }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const back = `${pathOf(bot.id)}/documents`
    const title = textField(filled, { name: 'title', label: 'Title', hint: 'Optional. Default: the name of the file.' })
    const objectId = textOf(filled, 'object_id')
    const top = html`${parentLink(`Documents of ${bot.name}`, back)}<h1>Upload file</h1>`
    if (objectId !== '') {
      const main = html`${top}${renderFault(filled.faults.object_id ? `The file ${filled.faults.object_id}.` : fault)}
<form class="form" method="post">${tokenField(member)}<input type="hidden" name="object_id" value="${objectId}">${title}
<p class="actions"><button>Add document</button> <a class="button plain" href="${back}/upload">Upload another file</a></p></form>`
      return { title: 'Upload file', main }
    }
    const more = html`${title}<p class="hint">PDF, DOCX, HTML, Markdown or text, up to ${amountOf('bytes', mostBytes)}. Millrace scans the file for viruses and reads its text.</p>`
    const form = { path: `${back}/upload`, label: 'File', words: 'Upload file', accept, more }
    const main = html`${top}${renderFault(fault)}
${uploadForm(member, filled, form)}
<p class="hint spaced">Without JavaScript, <a href="${back}/text">paste the text</a> instead.</p>`
    return { title: 'Upload file', main, reaches: { sends: [getPublicBase(host), services(storage).publicOrigin] } }
  },
  async submit({ params: { bot_id }, given, ...call }) {
    const bot = await mustFind(bots.find(call.db, call.member.orgId, bot_id), 'bot')
    if (given.object_id !== '') return await addUploaded(call, bot, given)
    const { bytes, filename, type } = parseForm(ChosenFile, given)
    const file = { filename, content_type: type || 'application/octet-stream', byte_size: bytes }
    return { view: { title: 'Upload file', main: await startUpload(call, bot, file, given.title) } }
  },
})

async function startUpload(
  { db, member, services, host }: Call,
  bot: bots.Bot,
  file: { filename: string; content_type: string; byte_size: number },
  title: string,
): Promise<Html> {
  if (file.byte_size > mostBytes)
    throw badRequest([{ field: 'form.bytes', issue: `must be at most ${amountOf('bytes', mostBytes)}` }])
  const { key, plan } = await dashboardCaller(db, member.orgId, getPageScopes(member.role))
  const object = await db
    .transaction((tx) => recordUpload(tx, member.orgId, plan, { ...place, ...file }))
    .catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error
      throw badRequest([{ field: 'form.bytes', issue: error.message.replace(/^body\.byte_size: /, '') }])
    })
  const { upload_url: url, upload_headers: headers } = await signUpload(services(storage), object)
  const grant = createUploadGrant(object.id, key.id, { origins: [host], expires_in: 3_600 })
  const { upload_token: token = '' } = issueUploadToken(grant, services(signingSecret))
  const path = `${pathOf(bot.id)}/documents/upload`
  const session = { kind: 'file', id: object.id, token, api: getPublicBase(host), url, headers } as const
  const then = { path, fields: { object_id: object.id, title: title.trim() || nameOf(file.filename) } }
  return sessionPart({ ...session, to: path, resume: path, then })
}

/** Returns the name of a file without its ending. */
const nameOf = (filename: string): string => filename.replace(/(?<=.)\.[^.]{1,8}$/, '').slice(0, 200)

async function addUploaded(
  { db, ask, member, services }: Call,
  bot: bots.Bot,
  { object_id, title }: { object_id: string; title: string },
): Promise<Outcome> {
  const id = Id.safeParse(object_id)
  if (!id.success) throw notFound('object')
  let object = await mustFind(objects.find(db, { orgId: member.orgId }, id.data), 'object')
  for (let i = 0; i < waits; i++) object = await awaitVerdict(db, object, services(stopping))
  const fault = faultOf(object)
  if (fault) throw badRequest([fault])
  const body = { object_id, ...(title.trim() !== '' && { title }) }
  await ask(create, { params: { botId: bot.id }, body }, z.object({}))
  return { to: `${pathOf(bot.id)}/documents`, told: 'File added. Millrace is reading it.' }
}

function faultOf({ scan_status: status }: objects.FileObject): Fault | undefined {
  const field = 'form.object_id'
  if (status === 'clean') return undefined
  if (status === 'pending' || status === 'scanning')
    return { field, issue: 'is still being scanned. Select “Add document” in a moment' }
  return { field, issue: `cannot be used: the result of the virus scan is “${status.replace('_', ' ')}”` }
}
