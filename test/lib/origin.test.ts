import t from 'tap'
import { fitHeader, isOrigin, toOriginHeader } from '#lib/network/origin.ts'

t.test('an origin is what browsers send, and nothing that only looks like it', async (t) => {
  const good = [
    'https://shop.example',
    'http://localhost:3000',
    'https://xn--bcher-kva.example',
    'http://127.0.0.1:8080',
  ]
  for (const text of [...good, 'http://[::1]:8080', 'https://my_shop.example', 'https://a.b.c.example:8443'])
    t.ok(isOrigin(text), text)
  const wild = ['https://*', 'https://*.example.com', 'https://shop.*', 'https://a*b.example', 'http://*:3000']
  const parts = [
    'https://shop.example/',
    'https://shop.example/a',
    'https://a@shop.example',
    'https://shop.example?',
    'null',
  ]
  const odd = [
    'https://SHOP.example',
    'https://shop.example:443',
    'https://shop.example.',
    'https://-a.example',
    'https://a..b',
  ]
  const signs = [
    "https://a';b.example",
    'https://a,b.example',
    'https://a b',
    'https://$.example',
    'https://!',
    'https://(a)',
  ]
  const schemes = [
    'ftp://shop.example',
    'data:',
    'file://',
    'https:shop.example',
    '*',
    '',
    'https://',
    'https://[::1',
    'javascript:1',
  ]
  for (const text of [...wild, ...parts, ...odd, ...signs, ...schemes]) t.notOk(isOrigin(text), text)
})

t.test('origins fit into a header', async (t) => {
  const many = Array.from({ length: 100 }, (_, i) => `https://${'a'.repeat(60)}.site-${i}.example`)
  t.notOk(fitHeader.check(many))
  const header = toOriginHeader(many)
  t.ok(header.length <= 4_000 && header.length > 3_900, `${header.length}`)
  for (const origin of header.split(' ')) t.ok(many.includes(origin), origin)
  t.equal(toOriginHeader(many.slice(0, 2)), many.slice(0, 2).join(' '))
})
