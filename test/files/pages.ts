import { deflateSync } from 'node:zlib'
import { gz } from './archives.ts'
import { pdf } from './pictures.ts'
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

const note = `%${'x'.repeat(300)}\n`
const packed = (dictionary: string, objects: string): Upload => ({
  bytes: pdf(`5 0 obj <</Type /ObjStm /Filter /FlateDecode ${dictionary}>> stream\n`, deflateSync(objects)),
})
const action = '<</S/JavaScript/JS(app.alert\\(1\\))>>'

/** Documents of PDF that run a script where a careless search does not see it. */
export const inPdf: Record<string, Upload> = {
  'a script in a PDF, behind a long comment': { bytes: pdf(`1 0 obj <</S ${note}/JavaScript ${note}/JS (1)>> endobj`) },
  'a script in a PDF, behind many comments': { bytes: pdf(`1 0 obj <</S ${note.repeat(9)}/JavaScript>> endobj`) },
  'a script of a rendition in a PDF': { bytes: pdf('1 0 obj <</S/Rendition/OP 0/JS(1)>> endobj') },
  'a script of a scene in a PDF': { bytes: pdf('1 0 obj <</Type/3D/OnInstantiate 2 0 R>> endobj') },
  'a form of XML in a PDF': { bytes: pdf('1 0 obj <</AcroForm <</XFA 7 0 R>>>> endobj') },
  'a script in a PDF that begins like a font': {
    bytes: Buffer.concat([Buffer.from('OTTO\0'), pdf(`1 0 obj ${action}`)]),
  },
  'a script in a PDF that begins like a page': {
    bytes: Buffer.concat([Buffer.from('<html>\n'), pdf(`1 0 obj ${action}`)]),
  },
  'an object in a string of packed objects': packed('/N 1 /First 4', `1 1 (${action})`),
  'an object behind a bracket in packed objects': packed('/N 1 /First 4', `1 1 (${action}`),
  'an object behind a comment in packed objects': packed('/N 1 /First 4', `1 4 %(\n ${action} `),
  'an object in a hexadecimal string of packed objects': packed(
    '/N 2 /First 8',
    `1 0 2 9 <</X <20(>/S/JavaScript/JS(1)>>`,
  ),
  'packed objects with their form elsewhere': packed('/N 1 /First 4 /DecodeParms 9 0 R', '1 0 <<>>'),
}
