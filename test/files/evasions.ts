import { crc32, deflateRawSync, deflateSync } from 'node:zlib'
import { descriptor, eicar, gz, type Part, tar, tarHeader, u16, u32, u64, wideEnd, zip } from './archives.ts'
import { jpeg, ole, pdf, png } from './pictures.ts'
import type { Upload } from './stand-in.ts'

const clean: Part = { name: 'c.txt', data: 'nothing to see\n' }
const bad: Part = { name: 'eicar.com', data: eicar }
const wide: Part = {
  ...bad,
  local: {
    size: 0xffffffff,
    packedSize: 0xffffffff,
    extra: Buffer.concat([u16(1, 16), u64(68, deflateRawSync(eicar).length)]),
  },
}
/** EICAR in a shape that scanners have been seen to pass, for the shapes that hide an archive in something else. */
const hidden = zip([wide])
const nested = (depth: number): Buffer =>
  depth === 0 ? zip([bad]) : zip([{ name: `${depth}.zip`, data: nested(depth - 1) }])
const cut = (bytes: Buffer, end: number) => bytes.subarray(0, end < 0 ? bytes.length + end : end)
const replaced = (bytes: Buffer, at: number, by: Buffer) =>
  Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(at + by.length)])

/** EICAR in a tar archive of old (no `ustar`), whose sum stands there as `written` has it. */
const summed = (written: (octal: string, sum: number) => string) => {
  const header = tarHeader('a.com', eicar.length, { magic: '' }).fill(' ', 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.fill(0, 148, 156).write(written(sum.toString(8), sum), 148, 8, 'latin1')
  return Buffer.concat([header, tar({ 'a.com': eicar }).subarray(512)])
}

/** Archives in which a tool would find EICAR that a scanner may not: the shapes that a widely used one was measured to pass. */
export const measured: Record<string, Upload> = {
  'an entry with a ZIP64 local header': { bytes: hidden },
  'an infected archive before a clean one': { bytes: Buffer.concat([zip([bad]), zip([clean])]) },
  'an infected archive behind a clean one': { bytes: Buffer.concat([zip([clean]), zip([bad])]) },
  'local sizes of zero': { bytes: zip([{ ...bad, local: { size: 0, packedSize: 0 } }]) },
  'the end record cut off': { bytes: cut(zip([bad]), -22) },
}

/** Further ways to hide it in an archive. */
export const inArchives: Record<string, Upload> = {
  'another name in the local header': { bytes: zip([{ ...bad, local: { name: 'c.txt.txt' } }]) },
  'another method in the directory': { bytes: zip([{ ...bad, central: { method: 0 } }]) },
  'other flags in the directory': { bytes: zip([{ ...bad, central: { flags: 0x20 } }]) },
  'the flag of encryption in the directory alone': { bytes: zip([{ ...bad, central: { flags: 1 } }]) },
  'the flag of encryption in both': { bytes: zip([{ ...bad, flags: 1 }]) },
  'an entry in no directory': { bytes: zip([clean, { ...bad, isUnlisted: true }, { ...clean, name: 'd.txt' }]) },
  'an entry in no directory, at the end': { bytes: zip([clean, { ...bad, isUnlisted: true }]) },
  'two entries at one place': {
    bytes: zip([bad, { ...clean, isUnlisted: true }, { ...clean, name: 'e', central: { start: 0 } }]),
  },
  'bytes between two entries': { bytes: zip([clean, { ...bad, before: Buffer.from('between') }]) },
  'bytes before the directory': { bytes: zip([clean], { beforeDirectory: deflateRawSync(eicar) }) },
  'bytes before the archive': { bytes: Buffer.concat([Buffer.from('MIME-Version: 1.0\r\n\r\n'), zip([bad])]) },
  'bytes behind the archive': { bytes: Buffer.concat([zip([bad]), Buffer.from('behind')]) },
  'bytes on both sides': { bytes: Buffer.concat([Buffer.from([0, 1, 2]), zip([bad]), Buffer.from([3, 4])]) },
  'bytes before an archive without its end': { bytes: Buffer.concat([Buffer.from('text'), cut(zip([bad]), -22)]) },
  'bytes before a gzip file': { bytes: Buffer.concat([Buffer.from([9, 1, 2]), gz(eicar)]) },
  'the signature of another archive before it': {
    bytes: Buffer.concat([Buffer.from('BZh9 xx'), cut(zip([bad]), -22)]),
  },
  'an archive in the comment': { bytes: zip([clean], { comment: hidden }) },
  'two entries of one name': { bytes: zip([clean, { ...bad, name: 'c.txt' }]) },
  'two entries that a tool writes to one name': { bytes: zip([clean, { ...bad, name: './/c.txt' }]) },
  'a name with a NUL': { bytes: zip([{ ...bad, name: 'a.txt\0.exe' }]) },
  'an absolute path': { bytes: zip([{ ...clean, name: '/etc/cron.d/job' }]) },
  'a path that leads out': { bytes: zip([{ ...clean, name: 'a/../../b' }]) },
  'a path that leads out in Windows': { bytes: zip([{ ...clean, name: '..\\b' }]) },
  'a smaller size in both headers': { bytes: zip([{ ...bad, local: { size: 10 }, central: { size: 10 } }]) },
  'a larger size in both headers': { bytes: zip([{ ...bad, local: { size: 99 }, central: { size: 99 } }]) },
  'a wrong CRC in both headers': { bytes: zip([{ ...bad, local: { crc: 1 }, central: { crc: 1 } }]) },
  'data that end before their size': {
    bytes: zip([{ ...clean, behind: hidden, ...sized(clean, hidden.length) }]),
  },
  'a descriptor that lies': {
    bytes: zip([{ ...bad, flags: 8, local: { crc: 0, size: 0, packedSize: 0 }, behind: descriptor(eicar, 9) }]),
  },
  'a descriptor that is not there': { bytes: zip([{ ...bad, flags: 8, local: { crc: 0, size: 0, packedSize: 0 } }]) },
  'a count of entries that is too small': { bytes: zip([clean, bad], { count: 1 }) },
  'a count of entries that is too large': { bytes: zip([bad], { count: 2 }) },
  'a directory that is elsewhere': { bytes: zip([bad], { directoryStart: 0 }) },
  'a ZIP64 end that tells another count': { bytes: zip([clean, bad], { beforeEnd: (at) => wideEnd(at, 1) }) },
  'a locator of nothing': {
    bytes: zip([bad], { beforeEnd: () => Buffer.concat([u32(0x07064b50, 0), u64(5e6), u32(1)]) }),
  },
  'a method that is not unpacked here': { bytes: zip([{ ...bad, local: { method: 97 }, central: { method: 97 } }]) },
  'a part of a split archive': { bytes: Buffer.concat([u32(0x08074b50), zip([bad])]) },
  'an archive twelve deep': { bytes: nested(12) },
  'a damaged archive in an archive': { bytes: zip([{ name: 'a.zip', data: cut(zip([bad]), -30) }]) },
  'a hidden archive in an archive': { bytes: zip([{ name: 'photo.png', data: Buffer.concat([png, hidden]) }]) },
  'a stored hidden archive in an archive': {
    bytes: zip([{ name: 'x.dat', method: 0, data: Buffer.concat([Buffer.from('x'), hidden]) }]),
  },
  'entries beyond their limit': {
    bytes: zip(Array.from({ length: 30 }, (_, i) => ({ ...clean, name: `${i}` }))),
    limits: { entries: 20 },
  },
  'a bomb': { bytes: zip([{ name: 'zeros', data: Buffer.alloc(64 * 1024 ** 2) }]) },
  'more than may be unpacked': { bytes: zip([{ name: 'zeros', data: Buffer.alloc(2e6) }]), limits: { totalSize: 1e6 } },
  'a hidden archive in a gzip file': { bytes: gz(hidden) },
  'a hidden archive in a tar archive': { bytes: tar({ 'a.zip': hidden }) },
  'a hidden archive in a packed tar archive': { bytes: gz(tar({ 'a.zip': hidden })), name: 'a.tar.gz' },
  'EICAR in the second member of a gzip file': { bytes: Buffer.concat([gz('clean'), gz(eicar)]) },
  'a hidden archive behind a gzip file': { bytes: Buffer.concat([gz('clean'), hidden]) },
  'a gzip file cut short': { bytes: cut(gz(eicar), -9) },
  'a gzip file with a wrong CRC': { bytes: replaced(gz('clean'), gz('clean').length - 8, u32(crc32('other'))) },
  'a gzip bomb': { bytes: gz(Buffer.alloc(64 * 1024 ** 2)) },
  'a second tar archive behind the end of the first': {
    bytes: Buffer.concat([tar({ a: 'clean' }), tar({ b: hidden })]),
  },
  'a tar archive cut short': { bytes: cut(tar({ 'a.zip': hidden }), 600) },
  'a tar archive behind a block, more behind its sum': {
    bytes: Buffer.concat([Buffer.alloc(512, 'x'), summed((octal) => `${octal}\0xyz`)]),
  },
  'a tar archive behind a block, its sum behind tabs': {
    bytes: Buffer.concat([Buffer.alloc(512, 'x'), summed((octal) => `\t\t${octal}`)]),
  },
  'a tar archive with more behind its sum': { bytes: summed((octal) => `${octal}\0xyz`) },
  'a tar archive with a sum of base 256': {
    bytes: summed((_, sum) => `\x80${'\0'.repeat(5)}${String.fromCharCode(sum >> 8, sum & 255)}`),
  },
  'a tar archive with a sum as Python writes it': { bytes: summed((octal) => `0o${octal}`) },
  'a tar archive with a damaged header': { bytes: replaced(tar({ a: 'clean', b: hidden }), 1030, Buffer.from('zz')) },
}

/** Says in both headers that an entry's packed data are longer by what stands behind them. */
function sized(part: Part, more: number): Pick<Part, 'local' | 'central'> {
  const said = { packedSize: deflateRawSync(Buffer.from(part.data ?? '')).length + more }
  return { local: said, central: said }
}

const page = '<!doctype html><p>Hello</p>'
const drawing = (inside: string) => `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`
const svg = (text: string): Upload => ({ bytes: drawing(text), name: 'a.svg', type: 'image/svg+xml' })
const html = (text: string): Upload => ({ bytes: page + text, name: 'a.html', type: 'text/html' })
const objects = (text: string) =>
  pdf(`5 0 obj <</Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length 1>> stream\n`, deflateSync(text))
const program = Buffer.concat([Buffer.from('MZ\x90\0\x03\0\0\0', 'latin1'), Buffer.alloc(200)])
const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])

/** What is no archive, and runs or hides something all the same. */
export const elsewhere: Record<string, Upload> = {
  'a hidden archive behind a PNG': { bytes: Buffer.concat([png, hidden]), name: 'a.png', type: 'image/png' },
  'a hidden archive behind a PNG, and more': {
    bytes: Buffer.concat([png, Buffer.from('xx'), hidden, Buffer.alloc(70_000, 7)]),
    name: 'a.png',
  },
  'a hidden archive behind a JPEG': { bytes: Buffer.concat([jpeg, hidden]), name: 'a.jpg' },
  'a program behind a PNG': { bytes: Buffer.concat([png, program]), name: 'a.png' },
  'a RAR archive behind a PNG': { bytes: Buffer.concat([png, Buffer.from('Rar!\x1a\x07\x01\0', 'latin1')]) },
  'a page in a PNG': { bytes: Buffer.concat([png, Buffer.from('<script>alert(1)</script>')]) },
  'a hidden archive behind a PDF': { bytes: Buffer.concat([pdf(''), hidden]) },
  'a hidden archive in a PDF': { bytes: Buffer.concat([pdf(''), hidden, Buffer.from('\n%%EOF\n')]) },
  'a page declared as a PNG': { bytes: page, name: 'a.png', type: 'image/png' },
  'a drawing declared as a PNG': { bytes: drawing(''), name: 'a', type: 'image/png' },
  'an archive declared as a JPEG': { bytes: zip([clean]), name: 'a.jpg', type: 'image/jpeg' },
  'a script in a page': html('<script>1</script>'),
  'a handler in a page': html('<img src=x onerror=alert(1)>'),
  'a handler behind a quoted bracket': html('<img title=">" src=x\nonerror=alert(1)>'),
  'a script address in a page': html('<a href="jav&#x61;script:alert(1)">x</a><a href="java\tscript:x">y</a>'),
  'a page that begins as a text': { bytes: 'Hello\n<script>1</script>', name: 'a.html', type: 'text/plain' },
  'a script in a drawing': svg('<x:script>1</x:script>'),
  'a handler set in a drawing': svg('<set attributeName="onload" to="alert(1)"/>'),
  'a script in a drawing of UTF-16': { bytes: utf16(drawing('<script/>')), name: 'a.svg' },
  'a script in a packed drawing': { bytes: gz(drawing('<script/>')), name: 'a.svgz', type: 'image/svg+xml' },
  'a script in a PDF': { bytes: pdf('1 0 obj <</S /JavaScript /JS (app.alert(1))>> endobj') },
  'a script in a PDF, written otherwise': { bytes: pdf('1 0 obj <</S/J#61va#53cript/JS(1)>> endobj') },
  'a script in a PDF, behind a comment': { bytes: pdf('1 0 obj <</S % note\n/JavaScript /JS (1)>> endobj') },
  'a script in the packed objects of a PDF': { bytes: objects('1 0 <</S /JavaScript /JS (1)>>') },
  'objects of a PDF packed twice': {
    bytes: pdf('5 0 obj <</Type /Obj#53tm /Filter [/ASCIIHexDecode /FlateDecode] /N 1>> stream\n'),
  },
  'a program started by a PDF': { bytes: pdf('1 0 obj <</S/Launch/F(cmd.exe)>> endobj') },
  'a file in a PDF': { bytes: pdf('1 0 obj <</Type/Filespec/EF <</F 2 0 R>>>> endobj') },
  'an encrypted PDF': { bytes: pdf('trailer <</Encrypt 7 0 R>>') },
  'a program': { bytes: program, name: 'a.bin' },
  'a program of Linux': { bytes: Buffer.concat([Buffer.from('\x7fELF'), Buffer.alloc(99)]), name: 'a' },
  'a script under the name of a document': { bytes: '#!/bin/sh\nid\n', name: 'a.pdf' },
  'a program in an archive': { bytes: zip([{ name: 'a.exe', data: program }]) },
  'a program in an archive, under the name of a picture': {
    bytes: zip([{ name: 'a.jpg', data: Buffer.from('\x7fELF\x02') }]),
  },
  'the image of a disk': {
    bytes: Buffer.concat([Buffer.alloc(32769), Buffer.from('CD001'), Buffer.alloc(2000)]),
    name: 'a.dat',
  },
  'two endings': { bytes: 'x', name: 'invoice.pdf .exe' },
  'two endings in an archive': { bytes: zip([{ name: 'invoice.pdf.js', data: 'x' }]) },
  'a name that turns its direction': { bytes: 'x', name: 'annex\u202egpj.txt' },
  'macros in a document of today': {
    bytes: zip([
      { name: '[Content_Types].xml', data: '<Types/>' },
      { name: 'word/document.xml', data: '<w/>' },
      { name: 'word/vbaProject.bin', data: 'x' },
    ]),
  },
  'a document that names macros': {
    bytes: zip([
      {
        name: '[Content_Types].xml',
        data: '<Override ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/>',
      },
      { name: 'word/document.xml', data: '<w/>' },
    ]),
  },
  'a template from the network': {
    bytes: zip([
      { name: '[Content_Types].xml', data: '' },
      { name: 'word/document.xml', data: '<w/>' },
      {
        name: 'word/_rels/settings.xml.rels',
        data: '<Relationship Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate" Target="http://x.example/t.dotm" TargetMode="External"/>',
      },
    ]),
  },
  'macros in a document of old': { bytes: ole(['Macros', '_VBA_PROJECT']), name: 'a.doc' },
  'an old document whose directory runs in a circle': { bytes: ole(['WordDocument'], { circle: true }), name: 'a.doc' },
  'an encrypted document': { bytes: ole(['EncryptionInfo', 'EncryptedPackage']), name: 'a.docx' },
  'an installer': { bytes: ole(['x'], { classId: '84100c0000000000c000000000000046' }), name: 'a.msi.bin' },
}
