export interface Input {
  name: string
  request: { method?: string; path: string; headers?: Record<string, string>; body?: string } | { mail: string }
}

const json = (value: unknown) => JSON.stringify(value)
const kilo = 1_024
const many = (count: number, of: (i: number) => string) => Array.from({ length: count }, (_, i) => of(i))

const letter = (html: string) => ({
  path: '/send/v1/messages',
  body: json({
    stream: 'transactional',
    from: { email: 'orders@sender.example' },
    to: 'ann@rcpt.example',
    subject: 'Hello',
    html,
  }),
})

const parts = 'Content-Type: multipart/report; report-type=feedback-report; boundary=x\n\n'
const complaint = (from: string) =>
  `${parts}--x\nContent-Type: message/feedback-report\n\nFeedback-Type: abuse\n\n--x\nContent-Type: message/rfc822\n\n` +
  `From: ${from}\nMessage-ID: <01900000-0000-7000-8000-000000000000@sender.example>\n\nHello\n--x--\n`
const check = (url: string) => ({ path: '/v1/trust/check-url', body: json({ url }) })
const article = (body: string) => ({
  path: '/v1/wiki/articles',
  body: json({ title: 'Costly', summary: 'Costly', body }),
})

export const inputs: readonly Input[] = [
  { name: 'mail of 800 KB of nested lists', request: letter('<ul><li>'.repeat(100_000)) },
  { name: 'mail of 800 KB of table cells', request: letter(`<table><tr>${'<td>x'.repeat(160_000)}</table>`) },
  { name: 'mail of lines in 90 quotations', request: letter(`${'<blockquote>'.repeat(90)}${'x<br>'.repeat(160_000)}`) },
  { name: 'mail of 1 MB without a blank', request: letter('x'.repeat(1_000_000)) },
  { name: 'mail of opening brackets', request: letter('<'.repeat(500_000)) },
  { name: 'bounce with a From of 60,000 letters', request: { mail: complaint('a'.repeat(60_000)) } },
  { name: 'bounce with a From of 1 MB', request: { mail: complaint('a@'.repeat(500_000)) } },
  {
    name: 'MIME parts in parts',
    request: { mail: `${parts}${'--x\nContent-Type: multipart/mixed; boundary=x\n\n'.repeat(20_000)}` },
  },
  {
    name: 'MIME of 9,000 parameters',
    request: { mail: `Content-Type: text/plain; ${many(9_000, (i) => `a*${i}*=utf-8''%41`).join('; ')}\n\n` },
  },
  {
    name: 'delivery status of 200,000 blocks',
    request: { mail: `${parts}--x\nContent-Type: message/delivery-status\n\n${'a:b\n\n'.repeat(200_000)}` },
  },
  {
    name: '3,900 query parameters',
    request: { method: 'GET', path: `/send/v1/messages?${many(3_900, (i) => `a${i}`).join('&')}` },
  },
  {
    name: 'one query parameter 3,900 times',
    request: { method: 'GET', path: `/send/v1/messages?${many(3_900, () => 'to=a').join('&')}` },
  },
  { name: '%2525… of 8 KB at trust', request: check(`http://a.example/%${'25'.repeat(4 * kilo)}`) },
  { name: 'a host of 8 KB of dots at trust', request: check(`http://${'a.'.repeat(4 * kilo)}example/`) },
  {
    name: '130,000 unknown keys',
    request: { path: '/send/v1/messages', body: `{${many(130_000, (i) => `"${i}":1`).join(',')}}` },
  },
  {
    name: 'JSON 500,000 arrays deep',
    request: { path: '/send/v1/messages', body: '['.repeat(500_000) + ']'.repeat(500_000) },
  },
  {
    name: 'JSON 100,000 objects deep',
    request: { path: '/send/v1/messages', body: `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}` },
  },
  {
    name: 'headers of 15 KB',
    request: {
      method: 'GET',
      path: '/send/v1/messages',
      headers: { cookie: 'a=b; '.repeat(1_500), 'accept-language': 'en;q=0.1,'.repeat(500) },
    },
  },
  {
    name: 'wiki page of empty table cells',
    request: article(`${'|a'.repeat(100)}\n${'|-'.repeat(100)}\n${'|\n'.repeat(80_000)}`),
  },
  { name: 'wiki page of brackets', request: article('['.repeat(150_000)) },
]
