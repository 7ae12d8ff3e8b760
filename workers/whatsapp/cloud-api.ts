import {
  type CloudApi,
  CloudApiError,
  type Credentials,
  type ListedTemplate,
  type NumberApi,
} from '#tasks/whatsapp/engine.ts'
import { CreatedTemplate, SendResponse, Success, TemplatePage } from './answer-forms.ts'
import { download, upload } from './files.ts'
import { type Graph, type GraphRequest, type GraphSettings, openGraph } from './graph.ts'
import { checkNumber, createProof } from './number-check.ts'

export interface CloudApiSettings extends GraphSettings, Omit<Credentials, 'appSecret'> {
  mediaHosts?: readonly string[]
}

/** Maximum number of pages of templates. An account has up to 6,000 templates. */
const mostPages = 100

const fields = 'id,name,language,status,category,parameter_format,components,rejected_reason'

export function createCloudApi({ mediaHosts = [], ...settings }: CloudApiSettings): CloudApi {
  const graph = openGraph(settings)
  const { phoneNumberId, accountId, accessToken } = settings
  return {
    ...apiOf(graph, { phoneNumberId, accountId, accessToken, appSecret: undefined }, mediaHosts),
    as: (credentials) => apiOf(graph, credentials, mediaHosts),
    close: graph.close,
  }
}

const names = {
  phoneNumberId: 'WHATSAPP_PHONE_NUMBER_ID',
  accountId: 'WHATSAPP_BUSINESS_ACCOUNT_ID',
  accessToken: 'WHATSAPP_ACCESS_TOKEN',
  appSecret: 'WHATSAPP_APP_SECRET',
}

function apiOf(graph: Graph, credentials: Credentials, mediaHosts: readonly string[]): NumberApi {
  const need = (what: keyof Credentials): string => {
    const value = credentials[what]
    if (!value) throw new CloudApiError('not_configured', `${names[what]} is not set.`)
    return value
  }
  /** Adds the token, and its proof if the app secret is known. */
  const authorized = ({ path, ...more }: Omit<GraphRequest, 'token'>): GraphRequest => {
    const token = need('accessToken')
    if (!credentials.appSecret) return { ...more, path, token }
    const proof = `appsecret_proof=${createProof(token, credentials.appSecret)}`
    return { ...more, path: `${path}${path.includes('?') ? '&' : '?'}${proof}`, token }
  }
  const passage = () => ({ graph, token: need('accessToken'), mediaHosts })

  return {
    async send(message, signal) {
      const path = `${need('phoneNumberId')}/messages`
      const { contacts, messages } = await graph.ask(authorized({ path, body: message }), SendResponse, signal)
      return { wamid: messages[0]?.id ?? '', waId: contacts?.[0]?.wa_id ?? String(message.to) }
    },
    async templates(signal) {
      const account = need('accountId')
      const templates: ListedTemplate[] = []
      let after: string | undefined
      for (let page = 0; page < mostPages; page++) {
        const query = new URLSearchParams({ fields, limit: '100', ...(after && { after }) })
        const asked = authorized({ path: `${account}/message_templates?${query}` })
        const { data, paging } = await graph.ask(asked, TemplatePage, signal)
        templates.push(
          ...data.map(({ id, rejected_reason, ...rest }) => ({
            provider_id: id,
            // Meta sends NONE for templates that it has not rejected.
            reason: rejected_reason && rejected_reason !== 'NONE' ? rejected_reason : null,
            ...rest,
          })),
        )
        after = paging?.next ? paging.cursors?.after : undefined
        if (after === undefined) break
      }
      return { accountId: account, templates }
    },
    async createTemplate(template, signal) {
      const path = `${need('accountId')}/message_templates`
      const made = await graph.ask(authorized({ path, body: template }), CreatedTemplate, signal)
      return { provider_id: made.id, status: made.status, category: made.category ?? template.category }
    },
    async deleteTemplate({ name, providerId }, signal) {
      const query = new URLSearchParams({ name, hsm_id: providerId })
      const path = `${need('accountId')}/message_templates?${query}`
      await graph.ask(authorized({ path, method: 'DELETE' }), Success, signal)
    },
    upload: (file, signal) => upload(passage(), need('phoneNumberId'), file, signal),
    download: (mediaId, mostBytes, signal) => download(passage(), mediaId, need('phoneNumberId'), mostBytes, signal),
    check: (signal) =>
      checkNumber(
        graph,
        {
          phoneNumberId: need('phoneNumberId'),
          accountId: need('accountId'),
          accessToken: need('accessToken'),
          appSecret: need('appSecret'),
        },
        signal,
      ),
    async subscribe({ url, verifyToken }, signal) {
      const path = `${need('accountId')}/subscribed_apps`
      const body = { override_callback_uri: url, verify_token: verifyToken }
      await graph.ask(authorized({ path, body }), Success, signal)
    },
  }
}
