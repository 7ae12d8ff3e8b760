import { type Plain, renderMarkdown, toPlainText } from './markdown.ts'

/** Renders an article as HTML. Without `notes`, returns the plain text that a reader sees. */
export const work = ({ text, notes }: { text: string; notes?: ReadonlyMap<string, number> }): string | Plain =>
  notes ? renderMarkdown(text, notes) : toPlainText(text)
