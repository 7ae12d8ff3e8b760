const streamOf = (content: string) => `<< /Length ${content.length} >>\nstream\n${content}\nendstream`

/**
 * A handwritten PDF: each page is a content stream (ISO 32000-2, 7.8), and the font /F1 is Helvetica. `reads` maps
 * characters to the text that is read (9.10.3).
 */
export function pdf(
  pages: readonly string[],
  box = '0 0 300 600',
  reads: Readonly<Record<string, string>> = {},
): Buffer {
  const kids = pages.map((_, i) => `${4 + 2 * i} 0 R`).join(' ')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`,
    `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode ${4 + 2 * pages.length} 0 R >>`,
    ...pages.flatMap((content, i) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [${box}] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * i} 0 R >>`,
      streamOf(content),
    ]),
    streamOf(toUnicode(reads)),
  ]
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, i) => {
    const at = text.length
    text += `${i + 1} 0 obj\n${object}\nendobj\n`
    return at
  })
  const table = text.length
  const rows = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  text += `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R >>\n`
  return Buffer.from(`${text}startxref\n${table}\n%%EOF\n`)
}

const hex = (text: string, digits: number) =>
  Array.from(text, (letter) => letter.charCodeAt(0).toString(16).padStart(digits, '0')).join('')

/** A CMap with one byte per character. */
const toUnicode = (reads: Readonly<Record<string, string>>): string =>
  `/CIDInit /ProcSet findresource begin 1 dict begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange
${Object.entries(reads)
  .map(([from, to]) => `1 beginbfchar <${hex(from, 2)}> <${hex(to, 4)}> endbfchar`)
  .join('\n')}
endcmap end end`

/** A page with these paragraphs, each in a separate line. */
export const pageOf = (paragraphs: readonly string[]): string =>
  `BT /F1 10 Tf 20 560 Td ${paragraphs.map((text) => `(${text}) Tj 0 -60 Td`).join(' ')} ET`
