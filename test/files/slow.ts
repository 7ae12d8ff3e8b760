import { deflateSync } from 'node:zlib'
import { zip } from './archives.ts'
import type { Upload } from './stand-in.ts'

const filled = (text: string, size: number) => text.repeat(Math.ceil(size / text.length)).slice(0, size)
const drawing = '<svg xmlns="http://www.w3.org/2000/svg">'

/** Texts that make a careless pattern or a careless search take time out of all proportion to `size`, in bytes. */
export function slow(size: number): Record<string, Upload> {
  const pages = [
    '<',
    '<a',
    '<!--',
    '<!ENTITY"',
    '<!ENTITY ',
    "<!ENTITY'",
    '<use ',
    '<?xml-stylesheet ',
    'http-equiv=refresh',
    'j \t',
    '&#0',
    ' on',
    'attributeName=',
    '<!ENTITY a ',
    '<!ENTITY a "',
    'href="',
    '<a:',
    '\x1b(',
  ]
  const files = [
    '/S ',
    '/S',
    '1',
    '1 ',
    '% ',
    '/JavaScript 1 ',
    '/JavaScript%',
    '(',
    '\\(',
    '%%EOF',
    'stream\n',
    '/ObjStm stream\n',
    '/First 1 /N 1 stream\n',
    'obj ',
    '#4a',
    '/S%',
    '/S%\n',
    '/EF 1%\n',
    '/S/Rendition/JS ',
  ]
  const inObjects = ['(', '%', '<', '1 ', '/JS', '\\(']
  const inRtf = ['\\objdata ', '\\objdata0', '\\template ', "\\'", '\\a']
  const inLinks = ['<', 'a', 'a=', 'a="', ' ', "<a '", '&#']
  const anywhere = ['PK\x03\x04', 'PK\x05\x06', '\x1f\x8b\x08\0', 'Rar!', '\xff', '\0']
  const inPages = pages.map((text): [string, Upload] => [
    `a drawing of ${text}`,
    { bytes: drawing + filled(text, size), name: 'a.svg' },
  ])
  const inFiles = files.map((text): [string, Upload] => [
    `a PDF of ${text}`,
    { bytes: `%PDF-1.4\n${filled(text, size)}` },
  ])
  const inBytes = anywhere.flatMap((text): [string, Upload][] => [
    [`bytes of ${JSON.stringify(text)}`, { bytes: Buffer.from(`\x01${filled(text, size)}`, 'latin1') }],
    [`a JPEG of ${JSON.stringify(text)}`, { bytes: Buffer.from(`\xff\xd8\xff${filled(text, size)}`, 'latin1') }],
  ])
  const packed = inObjects.map((text): [string, Upload] => [
    `packed objects of ${text}`,
    {
      bytes: Buffer.concat([
        Buffer.from('%PDF-1.5\n5 0 obj <</Type/ObjStm/N 1/First 4/Filter/FlateDecode>> stream\n'),
        deflateSync(`1 0 ${filled(text, size)}`),
      ]),
    },
  ])
  const objects = inRtf.map((text): [string, Upload] => [`RTF of ${text}`, { bytes: `{\\rtf1 ${filled(text, size)}` }])
  const links = inLinks.map((text): [string, Upload] => [
    `links of ${text}`,
    { bytes: zip([{ name: '_rels/.rels', method: 0, data: filled(text, size) }]) },
  ])
  const name = (text: string): [string, Upload] => [`a name of ${text}`, { bytes: 'x', name: filled(text, 4000) }]
  return Object.fromEntries([
    ...inPages,
    ...inFiles,
    ...inBytes,
    ...packed,
    ...objects,
    ...links,
    name('.pdf '),
    name('. '),
    name('.pdf'),
  ])
}
