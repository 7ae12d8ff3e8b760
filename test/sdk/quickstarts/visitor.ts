export interface Reply {
  status: number
  text: string
  /** Header `Location`, or an empty text. */
  location: string
}

/** A visitor with the cookies and the token of the forms of a project. */
export interface Page {
  get: (path: string) => Promise<Reply>
  post: (path: string, fields: Record<string, string>, options?: { hasToken?: boolean }) => Promise<Reply>
  upload: (path: string, file: File) => Promise<Reply>
  /** True if a form returns to its page with an error. */
  refuses: (path: string, fields: Record<string, string>) => Promise<boolean>
}

/** Opens the first page of a project. */
export async function openPage(url: string): Promise<Page> {
  const cookies = new Map<string, string>()

  async function request(path: string, init: RequestInit = {}): Promise<Reply> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const reply = await fetch(new URL(path, url), {
      ...init,
      redirect: 'manual',
      headers: { cookie, referer: `${url}/` },
    })
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return { status: reply.status, text: await reply.text(), location: reply.headers.get('location') ?? '' }
  }

  const { text } = await request('/')

  const send = (path: string, fields: Record<string, string | File>, hasToken = true) => {
    const body = new FormData()
    const all = { ...fields, ...(hasToken ? tokenOf(text, path) : {}) }
    for (const [key, value] of Object.entries(all)) body.append(key, value)
    return request(path, { method: 'POST', body })
  }
  return {
    get: (path) => request(path),
    post: (path, fields, { hasToken = true } = {}) => send(path, fields, hasToken),
    upload: (path, file) => send(path, { file }),
    async refuses(path, fields) {
      const reply = await send(path, fields)
      const shown = reply.status === 302 ? await request(reply.location) : reply
      return (reply.status === 302 || /^4/.test(String(reply.status))) && shown.text.includes('role="alert"')
    },
  }
}

/** Returns the hidden field against forged requests of the form with this target. Rails has a token for each form. */
function tokenOf(page: string, action: string): Record<string, string> {
  const form = page.split('<form').find((one) => one.includes(`action="${action}"`)) ?? ''
  const [field = ''] = /<input[^>]*name="(csrfmiddlewaretoken|authenticity_token|_token)"[^>]*>/.exec(form) ?? []
  const [, name = ''] = /name="([^"]*)"/.exec(field) ?? []
  const [, token = ''] = /value="([^"]*)"/.exec(field) ?? []
  if (token === '') throw new Error(`The form has no token: ${page.slice(0, 2000)}`)
  return { [name]: token }
}
