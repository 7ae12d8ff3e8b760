/** A fenced block of a guide. */
export interface GuideBlock {
  language: string
  code: string
  /** The last heading before it. */
  heading: string
  /** The JSON block that follows a call, other languages of the same call in between. */
  response: string | undefined
}

/** Returns the fenced blocks of a guide in order, without the responses, which belong to their calls. */
export function guideBlocks(guide: string): GuideBlock[] {
  const blocks: GuideBlock[] = []
  let heading = ''
  let group: GuideBlock[] = []
  for (const [, title, indent = '', language = '', text = ''] of guide.matchAll(
    /^#+ (.+)$|^( *)```(\S*)[^\n]*\n([\s\S]*?)^ *```$/gm,
  )) {
    // A block of a numbered step is indented like the step.
    const code = text.replaceAll(new RegExp(`^ {0,${indent.length}}`, 'gm'), '')
    if (title !== undefined) {
      heading = title
      group = []
    } else if (language === 'json') {
      for (const call of group) call.response = code
      group = []
    } else {
      if (language === 'sh' || !['js', 'python'].includes(language)) group = []
      const block = { language, code, heading, response: undefined }
      group.push(block)
      blocks.push(block)
    }
  }
  return blocks
}
