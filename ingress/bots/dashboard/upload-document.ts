import { z } from 'zod'
import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { dashboardCaller } from '#sql/account/keys/dashboard-key.ts'
import * as bots from '#sql/bots/bots.ts'
import * as objects from '#sql/files/objects.ts'
import { getPageScopes } from '#tasks/account/rules/roles.ts'
import { mostBytes } from '#tasks/bots/rules/fetch-source.ts'
import { awaitVerdict } from '#tasks/files/rules/await-verdict.ts'
import { recordUpload, signUpload } from '#tasks/files/rules/take-in.ts'
import { getPublicBase } from '#tasks/video/rules/open-url.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { textField } from '../../http/html/form.ts'
import { amountOf } from '../../http/html/format.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { ChosenFile, sessionPart, uploadForm } from '../../http/html/upload-form.ts'
import { mustFind } from '../../http/must-find.ts'
import { signingSecret, stopping, storage } from '../../http/services.ts'
import { createUploadGrant, issueUploadToken } from '../../http/upload-tokens.ts'
import { create } from '../sources.ts'
import { ofBot, pathOf, section } from './section.ts'

/** Product and tenant of the files of bots. */
const place = { product_key: 'bots', tenant_id: 'dashboard' }

const accept = '.pdf,.docx,.html,.htm,.md,.txt,application/pdf,text/plain,text/markdown,text/html'

export const { show: askForDocument, submit: startDocument } = formPage({
  path: '/bots/{bot_id}/documents/upload',
  summary: 'Upload a file for a bot',
  section,
  permission: 'areas:write',
  params: ofBot,
  fields: ChosenFile.extend({ title: z.string().max(200).default('') }),
  async view({ db, member, services, host, params: { bot_id }, filled, fault }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const back = `${pathOf(bot.id)}/documents`
    const more = html`${textField(filled, { name: 'title', label: 'Title', hint: 'Optional. Default: the title in the file.' })}<p class="hint">PDF, DOCX, HTML, Markdown or text, up to ${amountOf('bytes', mostBytes)}. Millrace scans the file for viruses and reads its text.</p>`
    const form = { path: `${back}/upload`, label: 'File', words: 'Upload file', accept, more }
    const main = html`${parentLink(`Documents of ${bot.name}`, back)}<h1>Upload file</h1>${renderFault(fault)}
${uploadForm(member, filled, form)}
<p class="hint spaced">Without JavaScript, <a href="${back}/text">paste the text</a> instead.</p>`
    return { title: 'Upload file', main, reaches: { sends: [getPublicBase(host), services(storage).publicOrigin] } }
  },
  async submit({ db, member, services, host, params: { bot_id }, given: { bytes, filename, type, title } }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    if (bytes > mostBytes)
      throw badRequest([{ field: 'form.bytes', issue: `must be at most ${amountOf('bytes', mostBytes)}` }])
    const { key, plan } = await dashboardCaller(db, member.orgId, getPageScopes(member.role))
    const facts = { ...place, filename, content_type: type || 'application/octet-stream', byte_size: bytes }
    const object = await db
      .transaction((tx) => recordUpload(tx, member.orgId, plan, facts))
      .catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error
        throw badRequest([{ field: 'form.bytes', issue: error.message.replace(/^body\.byte_size: /, '') }])
      })
    const { upload_url: url, upload_headers: headers } = await signUpload(services(storage), object)
    const grant = createUploadGrant(object.id, key.id, { origins: [host], expires_in: 3_600 })
    const { upload_token: token = '' } = issueUploadToken(grant, services(signingSecret))
    const back = `${pathOf(bot.id)}/documents`
    const session = { kind: 'file', id: object.id, token, api: getPublicBase(host), url, headers } as const
    const then = { path: `${back}/uploaded`, fields: { object_id: object.id, title: title.trim() || nameOf(filename) } }
    const main = sessionPart({ ...session, to: back, resume: `${back}/upload`, then })
    return { view: { title: 'Upload file', main } }
  },
})

/** Returns the name of a file without its ending. */
const nameOf = (filename: string): string => filename.replace(/(?<=.)\.[^.]{1,8}$/, '').slice(0, 200)

/** How often the page waits for the scan of the file. Each wait takes up to 2.5 seconds. */
const waits = 4

export const { show: askToAdd, submit: addUploaded } = formPage({
  path: '/bots/{bot_id}/documents/uploaded',
  summary: 'Add an uploaded file to a bot',
  section,
  permission: 'areas:write',
  params: ofBot,
  query: z.object({ object_id: Id.optional() }),
  fields: z.object({ object_id: Id, title: z.string().max(200).default('') }),
  async view({ db, member, params: { bot_id }, query: { object_id }, filled, fault }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const back = `${pathOf(bot.id)}/documents`
    const id = String(filled.given.object_id ?? object_id ?? '')
    const main = html`${parentLink(`Documents of ${bot.name}`, back)}<h1>Add the uploaded file</h1>${renderFault(filled.faults.object_id ? `The file ${filled.faults.object_id}.` : fault)}
<form class="form" method="post">${tokenField(member)}<input type="hidden" name="object_id" value="${id}">
${textField(filled, { name: 'title', label: 'Title', hint: 'Optional. Default: the title in the file.' })}
<p class="actions"><button>Add document</button> <a class="button plain" href="${back}/upload">Upload another file</a></p></form>`
    return { title: 'Add the uploaded file', main }
  },
  async submit({ db, ask, member, services, params: { bot_id: botId }, given: { object_id, title } }) {
    let object = await mustFind(objects.find(db, { orgId: member.orgId }, object_id), 'object')
    for (let i = 0; i < waits; i++) object = await awaitVerdict(db, object, services(stopping))
    const fault = faultOf(object)
    if (fault) throw badRequest([fault])
    const body = { object_id, ...(title.trim() !== '' && { title }) }
    await ask(create, { params: { botId }, body }, z.object({}))
    return { to: `${pathOf(botId)}/documents`, told: 'File added. Millrace is reading it.' }
  },
})

function faultOf({ scan_status: status }: objects.FileObject): Fault | undefined {
  const field = 'form.object_id'
  if (status === 'clean') return undefined
  if (status === 'pending' || status === 'scanning')
    return { field, issue: 'is still being scanned. Select “Add document” in a moment' }
  return { field, issue: `cannot be used: the result of the virus scan is “${status.replace('_', ' ')}”` }
}
