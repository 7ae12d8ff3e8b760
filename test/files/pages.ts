import { gz } from './archives.ts'
import type { Upload } from './stand-in.ts'

const page = (body: string): Upload => ({ bytes: `<!doctype html>${body}`, name: 'a.html', type: 'text/html' })
const begun = (start: string): Upload => ({ ...page(''), bytes: Buffer.from(`${start}<script>1</script>`, 'latin1') })
const drawing = (inside: string, before = ''): Upload => ({
  bytes: `<?xml version="1.0"?>${before}<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`,
  name: 'a.svg',
  type: 'image/svg+xml',
})
const xml = (body: string): Upload => ({ bytes: `<?xml version="1.0"?>${body}`, name: 'a.xml', type: 'text/xml' })

/** Pages and drawings that run a script where a careless search does not see it. */
export const inPages: Record<string, Upload> = {
  'a script in a page that begins like a film': begun('<p/>ftypM4A'),
  'a script in a page that begins like a sound': begun('ID3'),
  'a script in a page that begins like a font': begun('OTTO'),
  'a script in a page that begins like a PDF': begun('%PDF-1.4'),
  'a script in a large packed page': {
    bytes: gz(`${' '.repeat(9_000_000)}<script>1</script>`),
    name: 'a.html.gz',
    limits: { ratio: 1e6 },
  },
  'a script in a page of ISO 2022': page('<meta charset=iso-2022-jp><scr\x1b(Bipt>1</script>'),
  'a handler that begins with a sign': page('<body onload=+alert(1)>'),
  'a handler that begins with a bracket': page('<body onload=[alert(1)]>'),
  'a handler of late': page('<button oncommand=alert(1)>'),
  'a handler behind much space': page(`<body onload${' '.repeat(200_000)}=alert(1)>`),
  'a script address in character references': page('<a href="java&#x73;cript&colon;alert(1)">'),
  'a script address with a named tab': page('<a href="jav&Tab;ascript:alert(1)">'),
  'a script address with much space': page(`<a href="java${'\n'.repeat(200_000)}script:alert(1)">`),
  'a page in an attribute': page('<iframe srcdoc="&lt;script&gt;1&lt;/script&gt;">'),
  'a script under a prefix of other letters': drawing('<ä:script xmlns:ä="http://www.w3.org/2000/svg">1</ä:script>'),
  'a handler set by character references': drawing('<set attributeName="&#111;nload" to="alert(1)"/>'),
  'an address in an entity': drawing('<a href="&a;script:1">x</a>', '<!DOCTYPE svg [<!ENTITY a "java">]>'),
  'markup far into an entity': drawing('&a;', `<!DOCTYPE svg [<!ENTITY a "${'x'.repeat(6000)}&#60;script>1">]>`),
  'another file by a long entity': drawing('&a;', `<!DOCTYPE svg [<!ENTITY a${' '.repeat(400)}SYSTEM "x">]>`),
  'a script in a page within XML': xml('<a xmlns:h="http://www.w3.org/1999/xhtml"><h:script>1</h:script></a>'),
  'a script in XML whose namespace is hidden': xml(
    '<a xmlns:h="http://www.w3.org/1999/&#120;html"><h:script>1</h:script></a>',
  ),
}
