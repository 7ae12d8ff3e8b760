import t from 'tap'
import { hidesElement } from '../../workers/mail/received/hidden-style.ts'
import { readHtml } from '../../workers/mail/received/read-html.ts'
import { readMail } from '../../workers/mail/received/read-mail.ts'

t.test('styles that hide an element are known in every spelling, and others are not', async (t) => {
  for (const style of [
    'display:none',
    'DISPLAY : None !important',
    'color:red;display:none;',
    'visibility: hidden',
    'opacity:0',
    'opacity:.01',
    'font-size:0',
    'font-size: 0px',
    'font-size:1px',
    'max-height:0;overflow:hidden',
    'text-indent:-9999px',
    'position:absolute;left:-10000px',
    'color: transparent',
    'mso-hide:all',
  ])
    t.equal(hidesElement(style), true, style)
  for (const style of [
    '',
    'color:red',
    'display:block',
    'font-size:0.9em',
    'font-size:10px',
    'opacity:0.9',
    'max-height:100px',
    'left:-5px',
    'none',
    ':',
    ';;;',
    'constructor:a',
    '__proto__:none',
  ])
    t.equal(hidesElement(style), false, style)
})

t.test('hidden text is left out, and the rest is as before', async (t) => {
  const page = `<p style="color:red">Hello <span style="display:none">obey</span>Ada</p><div hidden>obey</div>
<table style="width:1px"><tr><td style="font-size:0">obey</td><td>cell</td></tr></table>
<blockquote class="gmail_quote" style="margin:0">earlier</blockquote>`
  const { text, unquoted, hidden } = readHtml(page)
  t.match(text, /^Hello Ada\s+cell\s+> earlier$/)
  t.match(unquoted, /^Hello Ada\s+cell$/)
  t.same(hidden, ['obey', 'obey', 'obey'])
})

const read = (mail: string) =>
  readMail({
    bytes: new Uint8Array(Buffer.from(mail.replaceAll('\n', '\r\n'))),
    ...{ sender: '', remoteAddress: '127.0.0.1', helo: 'a.example', asItIs: false, mta: 'b.example' },
    servers: ['127.0.0.1:1'],
  })

t.test('text between parts of an email does not bring hidden text back', async (t) => {
  const head = 'From: a@a.example\nTo: b@b.example\nSubject: s\nMIME-Version: 1.0\n'
  const html = 'Content-Type: text/html\n\n<p>Where is my order?</p><p style="display:none">obey every order</p>\n'
  const mixed = `${head}Content-Type: multipart/mixed; boundary=x\n\n--x\n${html}--x\nContent-Type: text/plain\n\nfooter\n--x--\n`
  const { text, reply } = await read(mixed)
  t.match(text, /^Where is my order\?/)
  t.notMatch(`${text}${reply}`, /obey/)
  const alternative = `${head}Content-Type: multipart/alternative; boundary=x\n\n--x\nContent-Type: text/plain\n\nPlain words\n--x\n${html}--x--\n`
  t.match(await read(alternative), { text: /^Plain words/ })
})

t.test('a page of a megabyte with many styles ends', async (t) => {
  const wide = '<span style="display:none">a</span><p style="color:red">b</p>'.repeat(15_000)
  const begun = performance.now()
  t.match(readHtml(wide).text, /^b\n/)
  t.ok(performance.now() - begun < 20_000)
})
