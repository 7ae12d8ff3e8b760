import { crc32, zstdCompressSync } from 'node:zlib'
import { ar, eicar, gz, type Part, tar, tarHeader, u16, u32, u64, zip } from './archives.ts'
import { ole } from './pictures.ts'
import type { Upload } from './stand-in.ts'

const clean: Part = { name: 'c.txt', data: 'nothing to see\n' }
const bad: Part = { name: 'eicar.com', data: eicar }
const hidden = zip([{ ...bad, local: { size: 0, packedSize: 0 } }])
const text = (bytes: string) => Buffer.from(bytes, 'latin1')
const sevenZip = Buffer.concat([text('7z\xbc\xaf\x27\x1c\0\x04'), u32(crc32(Buffer.alloc(20))), Buffer.alloc(80)])
const gzipWith = (extra: Buffer) =>
  Buffer.concat([text('\x1f\x8b\x08\x04\0\0\0\0\0\x03'), u16(extra.length), extra, gz('clean').subarray(10)])
const gzipNamed = (name: string, data: string) =>
  Buffer.concat([text(`\x1f\x8b\x08\x08\0\0\0\0\0\x03${name}\0`), gz(data).subarray(10)])

/** The archive `hidden`, as bzip2 packs it. */
const bzip2 = Buffer.from(
  'QlpoOTFBWSZTWbUAn3wAADH/1v9/BAAgAUeEBQhmkCpi/4AAeAAAgAD5AC8AIACUDVT0nqPU0Bo00NDQDQaPUHqYnk2khE00oNqB6TIPSGJkYIDTRpiaZhHnySRlAs+UHMC0GAyRA2IQOOQQDcPxBFnOogpFn1qtKVKVFUe8Um0YTxGCgthP9KkfAbj5sPSSxkFZSckUhY9iPBQFh5gQCajnRA0QngzTAnMRPS3dJbIVpdDNffi9OrtaRPLMZn8XckU4UJC1AJ98',
  'base64',
)

/** Archives of other formats that hide something, and what is packed in ways that only some tools unpack. */
export const inContainers: Record<string, Upload> = {
  'a hidden archive in a Zstandard file': { bytes: zstdCompressSync(hidden) },
  'a hidden archive in the second frame': { bytes: Buffer.concat([zstdCompressSync(''), zstdCompressSync(hidden)]) },
  'an archive that a Zstandard file skips': {
    bytes: Buffer.concat([zstdCompressSync('x'), u32(0x184d2a50, hidden.length), hidden]),
  },
  'a hidden archive in a file of bzip2': { bytes: bzip2 },
  'bytes before a file of bzip2': { bytes: Buffer.concat([text('\x01\x02'), bzip2]) },
  'bytes before a file of xz': { bytes: text('\x01\x02\xfd7zXZ\0\0\x04') },
  'a file of bzip2 cut short': { bytes: bzip2.subarray(0, -5) },
  'a file of bzip2 with a wrong checksum': {
    bytes: Buffer.concat([bzip2.subarray(0, 11), text('x'), bzip2.subarray(12)]),
  },
  'a file packed behind the head of a PDF': { bytes: Buffer.concat([text('%PDF-1.5\n'), gz(eicar)]) },
  'a Zstandard file cut short': { bytes: zstdCompressSync(hidden).subarray(0, -4) },
  'a hidden archive in an archive of ar': { bytes: ar({ 'a.zip': hidden }) },
  'a program in an archive of ar, by its BSD name': { bytes: ar({ 'evil.hta': 'x' }, true) },
  'an archive of ar cut short': { bytes: ar({ a: 'xxxx' }).subarray(0, -2) },
  'a RAR archive': { bytes: text('Rar!\x1a\x07\x01\0rest') },
  'an LZMA file': { bytes: Buffer.concat([text('\x5d\0\0\x80\0'), u64(68), Buffer.alloc(40)]) },
  'a Windows image': { bytes: Buffer.concat([text('MSWIM\0\0\0'), Buffer.alloc(200)]) },
  'a hidden archive behind another, and more': { bytes: Buffer.concat([sevenZip, hidden, text('x')]), name: 'a.zip' },
  'a hidden archive behind an old document, and more': { bytes: Buffer.concat([ole(['x']), hidden, text('x')]) },
  'an archive in the header of a gzip file': { bytes: gzipWith(zip([bad])) },
  'a gzip file cut in its extra field': { bytes: gzipWith(Buffer.alloc(4)).subarray(0, 11) },
  'a program by the name that gunzip gives it': { bytes: gzipNamed('a.txt', 'x'), name: 'evil.hta.gz' },
  'a program by the name in a gzip file': { bytes: gzipNamed('evil.hta', 'x'), name: 'a.txt.gz' },
}

const path = (name: string, other: string) =>
  Buffer.concat([u16(0x7075, 5 + other.length), text('\x01'), u32(crc32(name)), text(other)])
const said = (extra: Buffer, more = {}) => ({ local: { ...more, extra }, central: { ...more, extra } })
const signed = (block: Buffer, sum: number) =>
  Buffer.concat([block.subarray(0, 148), text(`${sum.toString(8).padStart(6, '0')}\0 `), block.subarray(156)])
const oldTar = tarHeader('\xe4.txt', 4, { magic: '' })
const signedSum = oldTar.fill(' ', 148, 156).reduce((sum, byte) => sum + ((byte << 24) >> 24), 0)
const record = (key: string, value: string) => {
  const rest = ` ${key}=${value}\n`
  return Buffer.from(`${rest.length + 2}${rest}`)
}
const meta = (flag: string, records: Buffer) =>
  Buffer.concat([tarHeader('meta', records.length, { flag }), records, Buffer.alloc(512 - records.length)])

/** Fields of ZIP and tar headers by which two tools see two archives. */
export const inHeaders: Record<string, Upload> = {
  'a ZIP64 field longer than what the header lacks': {
    bytes: zip([
      {
        ...bad,
        ...said(Buffer.concat([u16(1, 28), u64(eicar.length, 0, 0), u32(0)]), { size: 0xffffffff }),
      },
    ]),
  },
  'another name in the Unicode path': { bytes: zip([{ ...clean, ...said(path('c.txt', 'evil.hta')) }]) },
  'a program behind the Unicode path': {
    bytes: zip([{ ...clean, name: 'evil.hta', ...said(path('evil.hta', 'c.txt')) }]),
  },
  'a Unicode path in the local header alone': {
    bytes: zip([{ ...clean, local: { extra: path('c.txt', '../../x') } }]),
  },
  'an extra field of no kind': {
    bytes: zip([{ ...clean, ...said(Buffer.concat([u16(0, 4), text('\x01\0\x08\0')])) }]),
  },
  'a name that turns its direction, and a damaged letter': {
    bytes: zip([{ ...clean, name: '\ufffd annex\u202egpj.txt' }]),
  },
  'a hidden archive in a tar archive of signed sums': {
    bytes: Buffer.concat([
      signed(oldTar, signedSum),
      Buffer.concat([text('MZ\x90\0'), Buffer.alloc(508)]),
      Buffer.alloc(1024),
    ]),
  },
  'a size for all entries of a tar archive': {
    bytes: Buffer.concat([meta('g', record('size', '600')), tar({ a: 'clean', b: hidden })]),
  },
  'a size by the header of Solaris': {
    bytes: Buffer.concat([meta('X', record('size', '1536')), tar({ a: 'clean', b: eicar })]),
  },
  'a file with holes in a tar archive': {
    bytes: Buffer.concat([meta('x', record('GNU.sparse.major', '1')), tar({ a: `1\n0\n68\n${'\0'.repeat(505)}x` })]),
  },
  'a link with data in a tar archive': {
    bytes: Buffer.concat([tarHeader('l', 512, { flag: '1' }), tar({ a: 'clean' })]),
  },
}

const relations = (inside: string) => `<?xml version="1.0"?><Relationships>${inside}</Relationships>`
const template = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate'
const docx = (links: string | Buffer, names: { types?: string; part?: string; first?: Part } = {}): Upload => ({
  bytes: zip([
    ...(names.first ? [names.first] : []),
    { name: names.types ?? '[Content_Types].xml', data: '<Types/>' },
    { name: names.part ?? 'word/document.xml', data: '<w/>' },
    { name: 'word/_rels/settings.xml.rels', data: links },
  ]),
  name: 'a.docx',
})
const remote = relations(`<Relationship Type="${template}" Target="http://x.example/t" TargetMode="External"/>`)

/** Documents that fetch a template, or hold macros, where a careless search does not see it. */
export const inOffice: Record<string, Upload> = {
  'a template between single quotes': docx(remote.replaceAll('"', "'")),
  'a template behind a bracket': docx(remote.replace('<Relationship ', '<Relationship Id=">" ')),
  'a template behind much space': docx(remote.replace('<Relationship ', `<Relationship ${' '.repeat(9000)}`)),
  'a template in character references': docx(remote.replace('Template', '&#84;emplate')),
  'a template of UTF-16': docx(Buffer.from(`\ufeff${remote}`, 'utf16le')),
  'a template under another prefix': docx(remote.replaceAll('Relationship', 'ö:Relationship')),
  'a template on a share': docx(remote.replace('http://', 'file://')),
  'a template on a share of Windows': docx(remote.replace('http://', 'file:///\\\\')),
  'a template in a document with its parts elsewhere': docx(remote, { part: 'w/d.xml' }),
  'a template in a document in small letters': docx(remote, { types: '[content_types].XML' }),
  'a template in a document that says it is none': docx(remote, {
    first: { name: 'mimetype', method: 0, data: 'application/zip' },
  }),
  'a list of parts too large to be one': {
    ...docx(`${' '.repeat(17e6)}${remote}`),
    limits: { ratio: 1e6 },
  },
  'macros in an open document without its type': {
    bytes: zip([
      { name: 'META-INF/manifest.xml', data: '<m/>' },
      { name: 'content.xml', data: '<c/>' },
      { name: 'Basic/Standard/Module1.xml', data: '<x/>' },
    ]),
    name: 'a.odt',
  },
}

const rtf = (inside: string): Upload => ({
  bytes: `{\\rtf1\\ansi ${inside} Hello}`,
  name: 'a.rtf',
  type: 'application/rtf',
})
const hex = (data: string) => Buffer.from(data, 'latin1').toString('hex')

/** Documents that are one text, and load objects or hold macros. */
export const inTexts: Record<string, Upload> = {
  'a packed file in RTF': rtf(`{\\object\\objemb{\\*\\objdata 0105{\\x}${hex('\x02\0\0\0\x08\0\0\0Package\0')}}}`),
  'an equation among other words in RTF': rtf(`{\\object{\\*\\objdata ${[...hex('Equation.3')].join('\\par0 \n')}}}`),
  'an object that RTF loads': rtf('{\\object\\objautlink\\objupdate}'),
  'a template of RTF by numbers': rtf("{\\*\\template \\'68ttp\\u58?//x.example/t}"),
  'RTF that begins as little as it may': { ...rtf(''), bytes: '{\\rt\x01{\\object\\objupdate}}' },
  'macros in a document of 2003': {
    bytes:
      '<?xml version="1.0"?><w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml" w:macrosPresent="yes"/>',
    name: 'a.doc',
  },
  'macros in a page with its parts': {
    bytes: `MIME-Version: 1.0\n\n${Buffer.from('ActiveMime\0\0').toString('base64')}`,
    name: 'a.doc',
  },
  'macros in an open document of one file': {
    bytes:
      '<?xml version="1.0"?><o:document xmlns:o="urn:oasis:names:tc:opendocument:xmlns:office:1.0"><x:source-code>a</x:source-code></o:document>',
    name: 'a.fodt',
  },

  'a script in a flat OpenDocument, behind the place where there is none': {
    bytes: `<?xml version="1.0"?><o:document xmlns:o="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:h="http://www.w3.org/1999/xhtml"><office:script script:language="ooo:Basic"> <ooo:libraries/> </office:script><office:script script:language="ooo:Basic">alert(1)</office:script></o:document>`,
    name: 'b.fodt',
    type: 'application/vnd.oasis.opendocument.text-flat-xml',
  },
}

const named = (name: string): Upload => ({ bytes: 'x', name })
const within = (name: string): Upload => ({ bytes: zip([{ name, data: 'x' }]) })
const disk = Buffer.alloc(2048, 1)

/** Blank bytes with some at their places. */
function image(...parts: [at: number, bytes: string][]): Upload {
  const bytes = Buffer.alloc(8192)
  for (const [at, part] of parts) bytes.write(part, at, 'latin1')
  return { bytes, name: 'a.img' }
}

const isBootable: [number, string] = [510, '\x55\xaa']
const partition = '\x80\x01\x01\0\x0c\xfe\xff\xff\0\x08\0\0\0\x10\0\0'
const superblock = '\x10\0\0\0\x40\0\0\0'

/** Names and ends by which a system runs or mounts what looks like nothing. */
export const byName: Record<string, Upload> = {
  'a stream of a program': named('evil.hta::$DATA'),
  'a stream behind a program, in an archive': within('evil.scr:x'),
  'an add-in of a spreadsheet, in an archive': within('a.xll'),
  'a setting that runs, in an archive': within('a.SettingContent-ms'),
  'a library of folders, in an archive': within('a.library-ms '),
  'a link of macOS': named('a.inetloc'),
  'a launcher of Linux': named('a.desktop'),
  'a page before a program': named('a.html.exe'),
  'the image of a disk of UDF': { bytes: Buffer.concat([Buffer.alloc(32769), text('BEA01'), Buffer.alloc(2000)]) },
  'the image of a disk of fixed size': { bytes: Buffer.concat([disk, text('conectix'), Buffer.alloc(504)]) },
  'the image of a disk of DOS': image([54, 'FAT16   '], isBootable),
  'the image of a disk of Windows': image([3, 'NTFS    '], isBootable),
  'the image of a disk in partitions': image([446, partition], isBootable),
  'the image of a disk of Linux': image([1024, superblock], [1080, '\x53\xef']),
  'the image of a disk of QEMU': image([0, 'QFI\xfb\0\0\0\x03']),
  'the image of a disk of macOS': { bytes: Buffer.concat([disk, text('koly\0\0\0\x04'), Buffer.alloc(504)]) },
}
