import { randomInt } from 'node:crypto'
import t from 'tap'
import { canonicalIpv4 } from '#sql/trust/safe-browsing/canonical-address.ts'
import { canonicalizeUrl, formatUrl } from '#sql/trust/safe-browsing/canonical-url.ts'
import { listExpressions } from '#sql/trust/safe-browsing/expressions.ts'
import { findSuspiciousSigns } from '#tasks/trust/rules/heuristics.ts'
import { checkAll } from '#tasks/trust/rules/judge.ts'
import { readUrl, readUrls } from '#tasks/trust/rules/read-url.ts'

const canonical = (url: string) => {
  const parsed = canonicalizeUrl(url)
  return parsed && formatUrl(parsed)
}

/** Published with Safe Browsing's "URLs and Hashing" and with its client in Go. */
const published: Record<string, string> = {
  'http://host/%25%32%35': 'http://host/%25',
  'http://host/%25%32%35%25%32%35': 'http://host/%25%25',
  'http://host/%2525252525252525': 'http://host/%25',
  'http://host/asdf%25%32%35asd': 'http://host/asdf%25asd',
  'http://host/%%%25%32%35asd%%': 'http://host/%25%25%25asd%25%25',
  'http://www.google.com/': 'http://www.google.com/',
  'http://%31%36%38%2e%31%38%38%2e%39%39%2e%32%36/%2E%73%65%63%75%72%65/%77%77%77%2E%65%62%61%79%2E%63%6F%6D/':
    'http://168.188.99.26/.secure/www.ebay.com/',
  'http://195.127.0.11/uploads/%20%20%20%20/.verify/.eBaysecure=updateuserdataxplimnbqmn-xplmvalidateinfoswqpcmlx=hgplmcx/':
    'http://195.127.0.11/uploads/%20%20%20%20/.verify/.eBaysecure=updateuserdataxplimnbqmn-xplmvalidateinfoswqpcmlx=hgplmcx/',
  'http://host%23.com/%257Ea%2521b%2540c%2523d%2524e%25f%255E00%252611%252A22%252833%252944_55%252B':
    'http://host%23.com/~a!b@c%23d$e%25f^00&11*22(33)44_55+',
  'http://3279880203/blah': 'http://195.127.0.11/blah',
  'http://www.google.com/blah/..': 'http://www.google.com/',
  'www.google.com/': 'http://www.google.com/',
  'www.google.com': 'http://www.google.com/',
  'www.google.com:80/': 'http://www.google.com/',
  'http://www.evil.com/blah#frag': 'http://www.evil.com/blah',
  'http://www.GOOgle.com/': 'http://www.google.com/',
  'http://www.google.com.../': 'http://www.google.com/',
  'http://www.google.com/foo\tbar\rbaz\n2': 'http://www.google.com/foobarbaz2',
  'http://www.google.com/q?': 'http://www.google.com/q?',
  'http://www.google.com/q?r?': 'http://www.google.com/q?r?',
  'http://www.google.com/q?r?s': 'http://www.google.com/q?r?s',
  'http://www.google.com/q?r?s%3F': 'http://www.google.com/q?r?s?',
  'http://evil.com/foo#bar#baz': 'http://evil.com/foo',
  'http://evil.com/foo;': 'http://evil.com/foo;',
  'http://evil.com/foo?bar;': 'http://evil.com/foo?bar;',
  'http://%01%80.com/': 'http://%01%80.com/',
  'http://notrailingslash.com': 'http://notrailingslash.com/',
  'http://www.gotaport.com:1234/': 'http://www.gotaport.com/',
  '  http://www.google.com/  ': 'http://www.google.com/',
  'http:// leadingspace.com/': 'http://%20leadingspace.com/',
  'http://%20leadingspace.com/': 'http://%20leadingspace.com/',
  '%20leadingspace.com/': 'http://%20leadingspace.com/',
  'https://www.securesite.com/': 'https://www.securesite.com/',
  'ftp://ftp.myfiles.com/': 'ftp://ftp.myfiles.com/',
  'http://host.com/ab%23cd': 'http://host.com/ab%23cd',
  'http://host.com//twoslashes?more//slashes': 'http://host.com/twoslashes?more//slashes',
  'http://some%1bhost.com/%1b': 'http://some%1Bhost.com/%1B',
  'http://www.ümlat.com/': 'http://www.xn--mlat-zra.com/',
  'http://[2001:470:1:18::114]/': 'http://[2001:470:1:18::114]/',
  'http%3A%2F%2Fwackyurl.com:80/': 'http://wackyurl.com/',
  'http://W!eird<>Ho$^.com/': 'http://w!eird<>ho$^.com/',
  'http://i.have.way.too.many.dots.com/': 'http://i.have.way.too.many.dots.com/',
  'http://google.com./foo.html': 'http://google.com/foo.html',
  'http://google.com.:8080/foo.html': 'http://google.com/foo.html',
  'http://google...com/foo.html': 'http://google.com/foo.html',
  'http://..google.com/foo.html': 'http://google.com/foo.html',
  'http://[FEDC:BA98:7654:3210:FEDC:BA98:7654:3210]:80/index.html':
    'http://[fedc:ba98:7654:3210:fedc:ba98:7654:3210]/index.html',
  'http://[::192.9.5.5]/ipng': 'http://[::192.9.5.5]/ipng',
  'http://0x12.0x43.0x44.0x01': 'http://18.67.68.1/',
  'http://192.168.0.1:80/index.html': 'http://192.168.0.1/index.html',
  'http://a.com/foo/.././bar/./../foo.html': 'http://a.com/foo.html',
  'http://a.com//a//b///c////': 'http://a.com/a/b/c/',
  // Version 5.
  'http://[2001:0db8:0000::1]/': 'http://[2001:db8::1]/',
  'http://[::ffff:1.2.3.4]/': 'http://1.2.3.4/',
  'http://[64:ff9b::1.2.3.4]/': 'http://1.2.3.4/',
}

t.test('the published cases are canonicalised as published', async (t) => {
  for (const [url, wanted] of Object.entries(published)) t.equal(canonical(url), wanted, url)
})

t.test('what names no host is no URL', async (t) => {
  const hostless =
    ': | /blah | #ref | /blah#ref | ?query#ref | /blah?query#ref | /blah;param | http://#ref | http:///blah#ref | http://?query#ref | http:///blah?query#ref | http:///blah;param | http:///blah;param?query#ref | mailto:bryner@google.com | :8080/foo.html | http:www.google.com:8080/foo.html | www.google.com:xxyy/foo.html:80 | http://... | javascript:alert(1)'
  for (const url of ['', ...hostless.split(' | ')]) t.equal(canonical(url), undefined, url)
})

t.test('IPv4 addresses are known in every form that inet_aton takes', async (t) => {
  const forms = {
    '123.123.0.0.1': undefined,
    '255.0.0.1': '255.0.0.1',
    '12.0x12.01234': '12.18.2.156',
    '276.2.3': '20.2.0.3',
    '012.034.01.055': '10.28.1.45',
    '0x12.0x43.0x44.0x01': '18.67.68.1',
    '167838211': '10.1.2.3',
    '3279880203': '195.127.0.11',
    '4294967295': '255.255.255.255',
    '10.192.95.89 xy': '10.192.95.89',
    '1.2.3.00x0': undefined,
    '0': '0.0.0.0',
    '08': undefined,
  }
  for (const [host, wanted] of Object.entries(forms)) t.equal(canonicalIpv4(host), wanted, host)
})

t.test('credentials go before anything is unescaped', async (t) => {
  const hosts: Record<string, string> = {
    'http://x%2F@malware.example/': 'malware.example',
    'http://x%252F@malware.example/a': 'malware.example',
    'http://x%3F%23@malware.example?q': 'malware.example',
    'http://a@b%2F:c%40@malware.example:8080/': 'malware.example',
    'http://good.example%40malware.example/': 'malware.example',
    'http://good.example/@malware.example': 'good.example',
  }
  for (const [url, host] of Object.entries(hosts)) t.equal(canonicalizeUrl(url)?.host, host, url)
})

t.test('unescaping in one pass is what rounds over the whole text come to', async (t) => {
  const inRounds = (text: string): string => {
    const next = text.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    return next === text ? text : inRounds(next)
  }
  // Digits of which most pairs stand for more of the same.
  const letters = ['%', '%', '2', '5', '3', '4', '6', 'c', 'F', '%25', '%34', 'x']
  for (let round = 0; round < 20_000; round++) {
    const text = Array.from({ length: 1 + (round % 14) }, () => letters[randomInt(letters.length)]).join('')
    const escaped = inRounds(`x${text}`).replace(/[%\x80-\xff]/g, escape)
    if (/[/?#]/.test(inRounds(text))) continue
    if (canonical(`http://a/x${text}`) !== `http://a/${escaped}`) t.fail(`${text} is read as rounds do`)
  }
  t.match(canonical(`http://a/${'%25'.repeat(4_000)}41`), /^http:\/\/a\/(%25){3999}A$/)
  t.equal(canonical(`http://a/%${'25'.repeat(4_000)}41`), 'http://a/A')
})

t.test('canonicalising twice changes nothing', async (t) => {
  for (const once of Object.values(published)) {
    const again = canonical(once)
    // A literal # or % in a host is what its escape is taken for.
    if (!once.includes('%')) t.equal(again, once)
  }
})

/** Published as the combinations of host suffixes and path prefixes. */
const expressions: Record<string, string> = {
  'http://a.b.com/1/2.html?param=1':
    'a.b.com/1/2.html?param=1 a.b.com/1/2.html a.b.com/ a.b.com/1/ b.com/1/2.html?param=1 b.com/1/2.html b.com/ b.com/1/',
  'http://a.b.c.d.e.f.com/1.html':
    'a.b.c.d.e.f.com/1.html a.b.c.d.e.f.com/ c.d.e.f.com/1.html c.d.e.f.com/ d.e.f.com/1.html d.e.f.com/ e.f.com/1.html e.f.com/ f.com/1.html f.com/',
  'http://1.2.3.4/1/': '1.2.3.4/1/ 1.2.3.4/',
  'http://example.co.uk/1': 'example.co.uk/1 example.co.uk/',
  'http://a.b.c/1/2.html?param=1/2':
    'a.b.c/1/2.html?param=1/2 a.b.c/1/2.html a.b.c/1/ a.b.c/ b.c/1/2.html?param=1/2 b.c/1/2.html b.c/1/ b.c/',
  'http://a.b.c/1/2/3/4/5/':
    'a.b.c/1/2/3/4/5/ a.b.c/1/2/3/ a.b.c/1/2/ a.b.c/1/ a.b.c/ b.c/1/2/3/4/5/ b.c/1/2/3/ b.c/1/2/ b.c/1/ b.c/',
  'http://b.c/1/2/3.html?param=1/2': 'b.c/1/2/3.html?param=1/2 b.c/1/2/3.html b.c/1/2/ b.c/1/ b.c/',
  'http://a.b/?': 'a.b/',
  'http://[2001:470:1:18::114]/a/b': '[2001:470:1:18::114]/a/b [2001:470:1:18::114]/a/ [2001:470:1:18::114]/',
  'http://b/': 'b/',
  'http://user.github.io/x': 'user.github.io/x user.github.io/',
}

t.test('a URL has the published expressions, the exact one first', async (t) => {
  for (const [url, wanted] of Object.entries(expressions)) {
    const found = listExpressions(canonicalizeUrl(url) as NonNullable<ReturnType<typeof canonicalizeUrl>>)
    t.same(found.map(({ text }) => text).sort(), wanted.split(' ').sort(), url)
    t.same(
      found.filter(({ exact }) => exact).map(({ text }) => text),
      [wanted.split(' ')[0]],
    )
  }
  const longest = listExpressions(canonicalizeUrl('a.b.c.d.e.f.com/1/2/3/4/5/6?q=1') as never)
  t.equal(longest.length, 30)
  t.equal(longest.at(-1)?.hash.length, 32)
})

t.test('a host with more labels than any name has is not read label by label', async (t) => {
  const long = readUrl(`https://${'аb.'.repeat(2_000)}example/`)
  t.equal(long?.browsers, null)
  t.notMatch(long?.canonical.host, 'xn--')
  t.strictSame(long && findSuspiciousSigns(long).map(({ code }) => code), ['ambiguous_host'])
  const asAscii = readUrl(`https://${'xn--80ak6aa92e.'.repeat(100)}com/`)
  t.strictSame(asAscii && findSuspiciousSigns(asAscii), [], 'nor are there a hundred reasons of one that leads nowhere')
})

t.test('while many long URLs are read and judged, other imports have their turns', async (t) => {
  let [turns, isOver] = [0, false]
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  const folders = Array.from({ length: 5 }, () => 'я'.repeat(800)).join('/')
  const urls = Array.from({ length: 100 }, (_, i) => `https://a${i}.b.c.d.e.f.example/${folders}/?q`)
  const judge = async (read: Awaited<ReturnType<typeof readUrls>>) =>
    await checkAll(
      { db: undefined as never, confirm: async () => null, unlisted: () => [] },
      read.flatMap((one) => one ?? []),
    )
  setImmediate(count)
  const read = await readUrls(urls)
  const whileRead = turns
  const [judged] = await Promise.all([judge(read), judge(read)])
  isOver = true
  t.ok(whileRead > 2, `${whileRead} turns while they are read`)
  t.ok(turns - whileRead > 2, `${turns - whileRead} turns while they are judged`)
  t.strictSame(
    judged.map(({ url }) => url),
    urls.map((url) => canonical(url)),
  )
})
