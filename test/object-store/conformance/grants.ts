import { createHash } from 'node:crypto'
import { type Claim, get, plain, putTo } from './peer.ts'

const body = 'exactly these'
const type = { 'content-type': 'application/pdf' }
const demanded = { ...type, 'content-length': String(body.length) }

/** Requirements for users without keys. */
export const grantClaims: Claim[] = [
  {
    claim: 'a URL to put to takes the length and type that were signed, for its key alone, and nothing else',
    async holds(t, { storage }) {
      const url = await storage.signPut('grant/put', 60, demanded)
      const refused: [string, string, string, Record<string, string>][] = [
        ['longer', url, `${body}!`, type],
        ['shorter', url, body.slice(1), type],
        ['another type', url, body, { 'content-type': 'text/html' }],
        ['another key', url.replace('grant/put', 'grant/pux'), body, type],
        [
          'another signature',
          url.replace(/(Signature=)(.)/, (_, name, x) => `${name}${x === '0' ? '1' : '0'}`),
          body,
          type,
        ],
        ['a later end', url.replace('Expires=60', 'Expires=6000'), body, type],
      ]
      for (const [what, ...request] of refused) t.equal(await putTo(...request), 403, what)
      t.equal((await get(url)).status, 403, 'it reads nothing')
      t.equal(await storage.head('grant/put'), null)
      t.equal(await putTo(url, body, type), 200)
      t.equal(`${Buffer.from(await storage.readWhole('grant/put'))}`, body)
    },
  },
  {
    claim: 'a URL to put to may demand that the checksum be stated',
    async holds(t, { storage }) {
      const sum = { 'x-amz-checksum-sha256': createHash('sha256').update(body).digest('base64') }
      const url = await storage.signPut('grant/sum', 60, { ...demanded, ...sum })
      t.equal(await putTo(url, body, type), 403)
      t.equal(await putTo(url, body, { ...type, ...sum }), 200)
    },
  },
  {
    claim: 'a URL to read from serves the whole and any range, from its moment to its end',
    async holds(t, { storage }) {
      await storage.put('grant/get', Buffer.from('0123456789'), plain)
      const ago = (seconds: number) => new Date(Date.now() - seconds * 1000)
      const url = await storage.signGet('grant/get', 600, ago(300))
      const ranges = { 'bytes=2-4': '234', 'bytes=7-': '789', 'bytes=-3': '789', 'bytes=8-99': '89' }
      t.match(await get(url), { status: 200, body: Buffer.from('0123456789') })
      for (const [range, expected] of Object.entries(ranges)) {
        const part = await get(url, { range })
        t.same([part.status, `${part.body}`], [206, expected], range)
        t.match(part.headers.get('content-range'), /^bytes \d-9\/10$|^bytes 2-4\/10$/)
      }
      t.equal((await get(url, { range: 'bytes=10-' })).status, 416)
      t.equal((await get(await storage.signGet('grant/get', 60, ago(300)))).status, 403, 'after its end')
      t.equal(await putTo(url, body), 403, 'it writes nothing')
    },
  },
  {
    claim: 'a URL to save from has the name and type that were signed, whatever the object has',
    async holds(t, { storage }) {
      await storage.put('grant/save', Buffer.from(body), { contentType: 'text/html' })
      const as = { filename: 'Größe "1".pdf', type: 'application/pdf' }
      const url = await storage.signSave('grant/save', 60, as)
      const { status, headers } = await get(url)
      t.equal(status, 200)
      t.match(
        headers.get('content-disposition'),
        /^attachment; filename=.*filename\*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22\.pdf$/,
      )
      t.equal(headers.get('content-type'), 'application/pdf')
      t.equal((await get(url.replace('attachment', 'inline'))).status, 403)
    },
  },
  {
    claim: 'nobody reads, writes or deletes without a signature',
    async holds(t, { storage, access }) {
      await storage.put('grant/none', Buffer.from(body), plain)
      const url = `${access.endpoint}/${access.bucket}/grant/none`
      for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
        const answer = await fetch(url, { method, ...(method === 'PUT' && { body: 'other' }) })
        t.ok([400, 401, 403].includes(answer.status), `${method}: ${answer.status}`)
        t.notMatch(await answer.text(), body)
      }
      t.equal(`${Buffer.from(await storage.readWhole('grant/none'))}`, body)
    },
  },
]
