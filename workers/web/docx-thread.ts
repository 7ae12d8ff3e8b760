/** Worker thread that reads one DOCX file (ECMA-376, WordprocessingML). */
import { textOfXml, wordText } from './word-text.ts'
import { readZipEntry, ZipUnreadableError } from './zip.ts'

export function work(bytes: Uint8Array): { title: string | null; text: string } | string {
  try {
    const main = readZipEntry(bytes, 'word/document.xml')
    if (!main) return 'The file is a ZIP archive but not a DOCX: it does not contain word/document.xml.'
    const core = readZipEntry(bytes, 'docProps/core.xml')
    return { title: (core && textOfXml(core, 'title').trim()) || null, text: wordText(main) }
  } catch (error) {
    if (error instanceof ZipUnreadableError) return error.message
    throw error
  }
}
